import { texts } from '../../texts.ts'

type Tone = 'good' | 'warn' | 'bad' | ''

const tones: Readonly<Record<string, Tone>> = {
  succeeded: 'good',
  pending_confirmations: 'warn',
  requires_destination: 'warn',
  requires_confirmation: 'warn',
  requires_signature: 'warn',
  pending: 'warn',
  failed: 'bad',
  underpaid: 'warn',
  overpaid: 'warn',
  late: 'warn',
  multiple: 'warn',
  reorged: 'bad',
}

/** The status of an object, or an exception of a payment. Values that a later service adds are shown unchanged. */
export function Status({ value }: { value: string }) {
  const names: Readonly<Record<string, string>> = texts.statuses
  const tone = Object.hasOwn(tones, value) ? tones[value] : ''
  const name = Object.hasOwn(names, value) ? names[value] : value.replaceAll('_', ' ')
  return <span className={`badge ${tone}`}>{name}</span>
}
