import { pickLanguage } from '../locales/pickLanguage.ts'
import { usable } from '../locales/usable.ts'
import { runningScript } from '../open/runningScript.ts'
import { mountStyles } from '../shell/mountStyles.ts'
import { isRightToLeft } from '../view/content/translator.ts'
import { h } from '../view/parts/h.ts'
import { patch, type VNode } from '../view/parts/patch.ts'
import { messages } from './messages.ts'
import styles from './page.css?raw'
import { parseReceipt, type Receipt } from './parseReceipt.ts'
import { ReceiptView, type Shown, shopOf } from './ReceiptView.tsx'
import { verifyReceipt } from './verifyReceipt.ts'

// The page that shows the receipt in its fragment, or in a chosen file, and checks it on the chain. A browser keeps
// the fragment to itself.

/** By chain id. */
type Networks = Record<string, { name: string; rpcUrl: string; explorerUrl: string | null }>

const networks: Networks = JSON.parse(runningScript()?.getAttribute('data-networks') ?? '{}')
const wanted = new URLSearchParams(location.search).get('locale') ?? undefined
const [language, picked] = pickLanguage(wanted)
const tag = usable(picked)
const t = messages[language as keyof typeof messages]

const root: HTMLElement = document.createElement('main')
document.body.append(root)
mountStyles(document, styles)
document.documentElement.lang = tag
document.documentElement.dir = isRightToLeft(tag) ? 'rtl' : 'ltr'

let opened = 0

function draw(shown: Shown): void {
  const view = ReceiptView({ shown, t, tag, onFile: (file) => void openFile(file) })
  const shop = shown.name === 'receipt' && shopOf(shown)
  // A browser names the PDF after the title.
  document.title = shop ? `${t.title} · ${shop}` : t.title
  patch(root, (<main>{view}</main>) as VNode)
}

/** Shows a receipt at once, and adds the chain's verdict once it arrives. */
async function open(text: string): Promise<void> {
  opened += 1
  const mine = opened
  const receipt = read(text)
  if (!receipt) return draw({ name: text ? 'malformed' : 'none' })
  const network = networks[receipt.chain_id] ?? null
  draw({ name: 'receipt', receipt, network, verdict: null })
  const verdict = network
    ? await verifyReceipt(receipt, {
        rpcUrl: network.rpcUrl,
        serviceUrl: new URL('.', location.href).href,
      })
    : ({ type: 'unknown', message: t.unknownNetwork } as const)
  if (mine === opened) draw({ name: 'receipt', receipt, network, verdict })
}

async function openFile(file: File): Promise<void> {
  // A receipt with the largest metadata has 20 kB.
  await open(file.size > 100_000 ? '-' : await file.text())
}

function read(text: string): Receipt | null {
  try {
    return parseReceipt(JSON.parse(text))
  } catch {
    return null
  }
}

function openFragment(): void {
  const fragment = location.hash.slice(1)
  let text = fragment
  try {
    text = decodeURIComponent(fragment)
  } catch {
    // The text is not percent-encoded, so `open` shows that it is no receipt.
  }
  void open(text)
}

openFragment()
window.addEventListener('hashchange', openFragment)

// On paper, the proof is open.
let closedForPaper: HTMLDetailsElement | null = null
window.addEventListener('beforeprint', () => {
  closedForPaper = root.querySelector('details:not([open])')
  if (closedForPaper) closedForPaper.open = true
})
window.addEventListener('afterprint', () => {
  if (closedForPaper) closedForPaper.open = false
})
