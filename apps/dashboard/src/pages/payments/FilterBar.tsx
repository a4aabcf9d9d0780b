import { chainNames } from '@payment-intents/contract/chains'
import { useNavigate } from '@tanstack/react-router'
import { texts } from '../../texts.ts'
import { type Filters, statuses } from './filters.ts'

/** The search box and the filters. They are in the page's address, so a link leads to the same results. */
export function FilterBar({ filters }: { filters: Filters }) {
  const navigate = useNavigate()
  const show = (search: Filters) => void navigate({ to: '/payments', search })
  const { q = '', status = '', chain = '' } = filters
  const choose = (name: 'status' | 'chain', value: string) => {
    const { q: _, [name]: _earlier, ...others } = filters
    show({ ...others, ...(value ? { [name]: value } : {}) } as Filters)
  }
  return (
    <div className="row filters">
      <search>
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault()
            const text = String(new FormData(event.currentTarget).get('q')).trim()
            show(text ? { q: text } : {})
          }}
        >
          <input
            key={q}
            type="search"
            name="q"
            defaultValue={q}
            aria-label={texts.payments.search}
            placeholder={texts.payments.searchHint}
            autoComplete="off"
            spellCheck={false}
          />
          <button type="submit">{texts.payments.searchAction}</button>
        </form>
      </search>
      <select
        aria-label={texts.payments.columns.status}
        value={status}
        onChange={({ target }) => choose('status', target.value)}
      >
        <option value="">{texts.payments.anyStatus}</option>
        {statuses.map((each) => (
          <option key={each} value={each}>
            {texts.statuses[each]}
          </option>
        ))}
      </select>
      <select
        aria-label={texts.payments.columns.network}
        value={chain}
        onChange={({ target }) => choose('chain', target.value)}
      >
        <option value="">{texts.payments.anyNetwork}</option>
        {chainNames.map((each) => (
          <option key={each} value={each}>
            {texts.chains[each]}
          </option>
        ))}
      </select>
    </div>
  )
}
