export const referenceStyle = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #444); --tint: light-dark(#f4f4f5, #262629) }
body { margin: 0 auto; max-width: 78rem; display: grid; grid-template-columns: 16rem minmax(0, 1fr); gap: 2rem;
  padding: 1rem; font: 1rem/1.5 system-ui, sans-serif }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; font-size: 0.875rem }
nav h2 { font-size: 1rem }
nav ul { list-style: none; padding: 0 }
main small, i { color: light-dark(#666, #aaa); font-weight: normal }
section { border-top: 1px solid var(--line); padding-bottom: 1.5rem }
table { border-collapse: collapse; width: 100%; font-size: 0.875rem; margin: 1rem 0 }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.8rem 0.4rem 0; border-bottom: 1px solid var(--line) }
code { background: var(--tint); padding: 0.1em 0.3em; border-radius: 0.25em; overflow-wrap: anywhere }
td:first-child code { overflow-wrap: normal }
.call { font-size: 1.125rem }
@media (max-width: 48rem) { body { display: block } nav { position: static; max-height: none }
  table { display: block; overflow-x: auto } }
`
