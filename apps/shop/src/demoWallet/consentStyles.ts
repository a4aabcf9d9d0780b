/** A popup in the corner, like extension wallets; a sheet at the bottom on a phone. */
export const consentStyles = `
  :host { color-scheme: light }
  dialog {
    --violet: #5b3df0;
    box-sizing: border-box;
    width: min(24rem, calc(100vw - 1.5rem));
    max-height: calc(100dvh - 1.5rem);
    margin: 1rem 1rem auto auto;
    padding: 0;
    overflow: auto;
    border: 0;
    border-radius: 20px;
    background: #fff;
    color: #19142e;
    font: 400 15px/1.5 Inter, "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif;
    text-align: start;
    box-shadow: 0 24px 70px rgb(24 12 80 / 35%), 0 0 0 1px rgb(24 12 80 / 8%);
    animation: drop .22s cubic-bezier(.2, .8, .2, 1);
  }
  dialog::backdrop { background: rgb(18 12 40 / 38%) }
  @keyframes drop { from { opacity: 0; transform: translateY(-12px) } }
  .head { display: flex; align-items: center; gap: .65rem; padding: 1rem 1.25rem .9rem }
  .head img { width: 2rem; height: 2rem }
  .head strong { flex: 1; font-weight: 600 }
  .head span { color: #6a6580; font-size: 13px }
  .stripe {
    margin: 0;
    padding: .4rem 1.25rem;
    background: repeating-linear-gradient(-45deg, #ffe9b3 0 10px, #fff1cc 10px 20px);
    color: #634400;
    font-size: 13px;
    font-weight: 500;
  }
  h2 { margin: 1.35rem 1.25rem 0; font-size: 18px; font-weight: 600; line-height: 1.3; letter-spacing: -.01em; outline: 0; overflow-wrap: anywhere }
  .amount { margin: .3rem 1.25rem 0; font-size: 34px; font-weight: 650; letter-spacing: -.03em; line-height: 1.2; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
  ul { margin: .9rem 1.25rem 0; padding: 0; list-style: none; color: #4a4560 }
  li { padding: .2rem 0 .2rem 1.6rem; background: no-repeat 0 .5rem / 16px url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='m3 8.500 3.200 3.200L13 4.700' fill='none' stroke='%235b3df0' stroke-width='2' stroke-linecap='round' stroke-linejoin='round'/%3E%3C/svg%3E") }
  dl { margin: 1.1rem 1.25rem 0; padding: .35rem .95rem .8rem; border-radius: 14px; background: #f6f4fc }
  dt { margin-top: .5rem; color: #6a6580; font-size: 13px }
  dd { margin: 0; overflow-wrap: anywhere }
  .code { font: 12px/1.6 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace }
  form { position: sticky; bottom: 0; display: grid; grid-template-columns: 1fr 1fr; gap: .7rem; padding: 1.25rem; background: #fff }
  button {
    min-height: 46px;
    border: 1px solid #d9d4ea;
    border-radius: 14px;
    background: #fff;
    color: inherit;
    font: inherit;
    font-weight: 600;
    cursor: pointer;
  }
  button:hover { border-color: #b4abd6 }
  .approve { border-color: var(--violet); background: var(--violet); color: #fff }
  .approve:hover { background: #4a2bd1 }
  button:focus-visible { outline: 3px solid var(--violet); outline-offset: 2px }
  @media (max-width: 30rem) {
    dialog { width: 100%; max-width: 100%; margin: auto 0 0; border-radius: 20px 20px 0 0; animation-name: rise }
    @keyframes rise { from { transform: translateY(40px); opacity: 0 } }
  }
  @media (prefers-reduced-motion: reduce) { dialog { animation: none } }
`
