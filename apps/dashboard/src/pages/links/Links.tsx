import type { PaymentLink } from '@payment-intents/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { create, read } from '../../api/api.ts'
import { Form, textOf } from '../../parts/Form.tsx'
import { Page } from '../../parts/Page.tsx'
import { Section } from '../../parts/Section.tsx'
import { type Column, Table } from '../../parts/Table.tsx'
import { rowsQuery, useRows } from '../../parts/useRows.ts'
import { Amount, parseUnits } from '../../parts/values/Amount.tsx'
import { Foreign } from '../../parts/values/Foreign.tsx'
import { Time } from '../../parts/values/Time.tsx'
import { useRole } from '../../session/session.ts'
import { texts } from '../../texts.ts'

const words = texts.links

/** The page of payment links, with a form for a new link. */
export function Links() {
  const list = useRows(
    rowsQuery(['links', 'list'], (place, signal) =>
      read('/v1/payment_links', { ...place }, signal),
    ),
  )
  const [isCreating, setCreating] = useState(false)
  const canManage = useRole('support')
  return (
    <Page
      title={words.title}
      actions={
        canManage && (
          <button
            type="button"
            className="primary"
            onClick={() => setCreating(!isCreating)}
            aria-expanded={isCreating}
          >
            {words.create}
          </button>
        )
      }
    >
      {isCreating && <NewLink onCancel={() => setCreating(false)} />}
      <Table caption={words.title} columns={columns} list={list} empty={words.empty} />
    </Page>
  )
}

function NewLink({ onCancel }: { onCancel: () => void }) {
  const navigate = useNavigate()
  const client = useQueryClient()
  return (
    <Section title={words.create}>
      <Form
        action={words.create}
        onCancel={onCancel}
        onSubmit={(fields) => {
          const amount = textOf(fields, 'amount')
          const most = textOf(fields, 'max')
          return create('/v1/payment_links', {
            // The service reports an invalid amount.
            amount_units: amount === '' ? null : (parseUnits(amount) ?? 0),
            description: textOf(fields, 'description'),
            ...(most === '' ? {} : { max_payments: Number(most) }),
          })
        }}
        onDone={({ id }) => {
          void client.invalidateQueries({ queryKey: ['links'] })
          void navigate({ to: '/links/$id', params: { id } })
        }}
      >
        <label>
          {words.description}
          <input name="description" required maxLength={500} placeholder={words.descriptionHint} />
        </label>
        <label>
          {words.amount}
          <input name="amount" inputMode="decimal" placeholder="40.00" />
          <small>{words.amountHint}</small>
        </label>
        <label>
          {words.max}
          <input type="number" name="max" min={1} />
          <small>{words.maxHint}</small>
        </label>
      </Form>
    </Section>
  )
}

const columns: readonly Column<PaymentLink>[] = [
  {
    name: words.columns.link,
    cell: ({ id, description }) => (
      <Link to="/links/$id" params={{ id }}>
        <Foreign text={description} />
      </Link>
    ),
  },
  {
    name: words.columns.amount,
    isNumber: true,
    cell: (link) =>
      link.amount_units === null ? (
        words.openAmount
      ) : (
        <Amount units={link.amount_units} token={link} />
      ),
  },
  {
    name: words.columns.status,
    cell: ({ active }) => (
      <span className={`badge ${active ? 'good' : ''}`}>{active ? words.on : words.off}</span>
    ),
  },
  {
    name: words.columns.payments,
    isNumber: true,
    cell: ({ payments_count: count, max_payments: most }) => (most ? `${count} / ${most}` : count),
  },
  { name: words.columns.created, cell: ({ created_at }) => <Time at={created_at} /> },
]
