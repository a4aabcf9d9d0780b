import { useMutation } from '@tanstack/react-query'
import { download } from '../../api/download.ts'
import { Failure } from '../../parts/Failure.tsx'
import { Section } from '../../parts/Section.tsx'
import { texts } from '../../texts.ts'
import type { Period } from './periods.ts'

const words = texts.overview.export
const tables = ['payment_intents', 'transfers', 'refunds'] as const

/** Downloads of a period as files for a spreadsheet. */
export function Export({ period: { from, to } }: { period: Period }) {
  const save = useMutation({
    mutationFn: (what: (typeof tables)[number]) =>
      download('/v1/export', { what, created_after: from, created_before: to }),
  })
  return (
    <Section title={words.title}>
      <div className="row">
        {tables.map((what) => (
          <button
            key={what}
            type="button"
            disabled={save.isPending}
            onClick={() => save.mutate(what)}
          >
            {words[what]}
          </button>
        ))}
        <span role="status">{save.isPending ? texts.loading : ''}</span>
      </div>
      {save.error && <Failure error={save.error} />}
    </Section>
  )
}
