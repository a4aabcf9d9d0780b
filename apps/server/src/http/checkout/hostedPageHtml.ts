import { createHash } from 'node:crypto'
import { amountOf, decimalOf, escaped, plain } from '../pages/html.ts'
import type { PageBrand } from './presentBrand.ts'

/** The content of the page before any script runs. */
export type Summary = {
  /** BCP 47 tag. */
  readonly tag: string
  readonly direction: 'ltr' | 'rtl'
  /** null: the payer's own language. */
  readonly theme: 'light' | 'dark' | null
  readonly merchant: string
  /** USDC units. */
  readonly units: bigint
  readonly description: string | null
  /** null: the page's own brand. */
  readonly brand: PageBrand | null
}

export type Page = {
  readonly html: string
  /** For `style-src`. */
  readonly stylesHash: string
}

/** A page whose content only its script knows. */
type BlankPage = Pick<Summary, 'tag' | 'direction' | 'theme'> & {
  readonly title: string
  /** A path of this server. */
  readonly script: string
  readonly brand: PageBrand | null
}

const checkout: BlankPage = {
  ...{ tag: 'en', direction: 'ltr', theme: null },
  ...{ title: 'Pay with USDC', script: '/v1/checkout.js', brand: null },
}

/** The hosted page. Without a summary it is the same for everybody. The checkout then covers its elements in place. */
export function pageOf(summary: Summary | null, blank = checkout): Page {
  const { tag, direction, theme } = summary ?? blank
  const { merchant, brand } = summary ?? { merchant: '', brand: blank.brand }
  const all = styles + sheetOf(brand) + (summary ? '' : logoOf(brand))
  const html = `<!doctype html>
<html lang="${escaped(tag)}" dir="${direction}"${theme ? ` class="${theme}"` : ''}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${brand?.accent ? `<meta name="theme-color" content="${brand.accent}">\n` : ''}<title>${escaped(merchant || blank.title)}</title>
<link rel="icon" href="${brand?.logo ?? 'data:,'}">
<style>${all}</style>
</head>
<body>
<main>
${summary ? summarised(summary) : '<div class="head"><i></i></div><p class="amount"><i></i></p>'}
<div class="rest" aria-hidden="true"><i></i><i></i><i></i></div>
</main>
<noscript>Paying here needs JavaScript. Turn it on for this site, then open your link again.</noscript>
<div id="checkout"></div>
<script src="${blank.script}"></script>
</body>
</html>
`
  return { html, stylesHash: `sha256-${createHash('sha256').update(all).digest('base64')}` }
}

function summarised({ tag, merchant, units, description, brand }: Summary): string {
  const [initial = ''] = Array.from(merchant.trim())
  const mark = brand?.logo
    ? `<img class="monogram" src="${brand.logo}" alt="">`
    : `<span class="monogram" aria-hidden="true">${escaped(initial.toUpperCase())}</span>`
  return `<div class="head">${mark}<h1>${escaped(plain(merchant))}</h1></div>
<p class="amount"><bdi>${escaped(amountOf(units, tag))} <small>USDC</small></bdi></p>
<p class="about">≈ <bdi dir="ltr">${escaped(dollarsOf(units, tag))}</bdi></p>
${description ? `<p class="for">${escaped(plain(description))}</p>` : ''}`
}

function dollarsOf(units: bigint, tag: string): string {
  return new Intl.NumberFormat(tag, {
    ...{ style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' },
  }).format(decimalOf(units))
}

/** Repeats the layout and colours of the shell, the view and the hosted page in `packages/browser/src`. */
const styles = `
:root{--page:#eef0f4;--paper:#fff;--ink:#10131a;--muted:#5a6373;--soft:#f4f5f8;--line:#e4e7ec}
:root.dark{--page:#0a0c0f;--paper:#14171c;--ink:#f2f4f7;--muted:#9aa3b0;--soft:#1d2127;--line:#2b3038}
@media (prefers-color-scheme:dark){:root:not(.light){--page:#0a0c0f;--paper:#14171c;--ink:#f2f4f7;--muted:#9aa3b0;--soft:#1d2127;--line:#2b3038}}
*{box-sizing:border-box;margin:0}
body{min-height:100vh;min-height:100dvh;display:grid;grid-template-rows:1fr;padding:24px 16px;background:var(--page);box-shadow:inset 0 6px var(--payment-intents-accent,#0000);color:var(--ink);font:15px/1.5 -apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere;font-variant-numeric:tabular-nums;-webkit-font-smoothing:antialiased}
@supports (color:color-mix(in srgb,red,red)){body{background-color:color-mix(in srgb,var(--payment-intents-accent,var(--page)) 10%,var(--page))}}
main{width:100%;max-width:440px;margin:auto;padding:24px 28px 28px;border-radius:24px;background:var(--paper);box-shadow:0 1px 2px #10131a0a,0 16px 48px -16px #10131a24}
.head{display:flex;align-items:center;gap:10px;min-height:36px}
.monogram{flex:none;display:grid;place-items:center;width:32px;height:32px;border-radius:9px;background:var(--payment-intents-accent,var(--ink));color:var(--payment-intents-on-accent,var(--paper));font-size:14px;font-weight:600}
img.monogram{object-fit:contain;background:#fff}
h1{font-size:15px;font-weight:600}
.amount{margin-top:14px;font-size:42px;line-height:1.1;font-weight:600;letter-spacing:-.022em}
small{font-size:17px;font-weight:500;letter-spacing:0;color:var(--muted)}
.about{color:var(--muted)}
.for{margin-top:12px}
.rest{margin-top:32px;display:grid;gap:8px;align-content:start}
i{display:block;height:60px;border-radius:14px;background:var(--soft)}
.head i,.amount i{height:28px;width:40%;border-radius:8px}
.amount i{height:44px;width:60%}
noscript{display:block;max-width:440px;margin:auto;padding:16px;text-align:center}
@media (max-width:480px){body{padding:0;background-color:var(--paper)}main{margin:0;padding:20px;border-radius:0;background:none;box-shadow:none}}
@media (min-width:900px){main{max-width:880px;padding:32px 40px 40px;display:grid;grid-template-columns:1fr 1fr;grid-template-rows:auto auto auto 1fr;column-gap:40px}.head,.amount,.about,.for{grid-column:1}.rest{grid-column:2;grid-row:1/span 4;margin-top:0;min-height:336px;padding-inline-start:40px;border-inline-start:1px solid var(--line)}}
`

/** Shows the logo in place of the name's initial, which the script draws. */
function logoOf(brand: PageBrand | null): string {
  if (!brand?.logo) return ''
  return `:root{--logo:url("${brand.logo}");--logo-paper:#fff;--initial:transparent}`
}

function sheetOf(brand: PageBrand | null): string {
  const set = Object.entries(brand?.style ?? {}).map(([name, value]) => `${name}:${value}`)
  return set.length > 0 ? `:root{${set.join(';')}}` : ''
}
