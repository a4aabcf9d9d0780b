import { useQuery, useQueryClient } from '@tanstack/react-query'
import { create, read, remove } from '../../api/api.ts'
import { Form, textOf } from '../../parts/Form.tsx'
import { Loaded } from '../../parts/Loaded.tsx'
import { RemoveButton } from '../../parts/RemoveButton.tsx'
import { Section } from '../../parts/Section.tsx'
import { texts } from '../../texts.ts'

const words = texts.settings.returnOrigins
const queryKey = ['returnOrigins']

/** The sites that payers may return to. */
export function ReturnOrigins() {
  const origins = useQuery({ queryKey, queryFn: () => read('/v1/return_origins') })
  const client = useQueryClient()
  const reload = () => client.invalidateQueries({ queryKey })
  return (
    <Section title={words.title}>
      <p className="muted">{words.text}</p>
      <Loaded query={origins}>
        {({ data }) => (
          <ul className="stack">
            {data.map(({ id, origin }) => (
              <li key={id} className="row page-head">
                <code>{origin}</code>
                <RemoveButton
                  title={words.remove}
                  text={words.removeText(origin)}
                  onRemove={async () => {
                    await remove('/v1/return_origins/{id}', { id })
                    await reload()
                  }}
                />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Form
        action={words.add}
        isEmptied
        onSubmit={(fields) => create('/v1/return_origins', { origin: textOf(fields, 'origin') })}
        onDone={() => void reload()}
      >
        <label>
          {words.origin}
          <input type="url" name="origin" required placeholder="https://shop.example.com" />
        </label>
      </Form>
    </Section>
  )
}
