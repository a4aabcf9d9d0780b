import type { Refund } from '@payment-intents/contract'
import { chainFactsOf } from '@payment-intents/contract/chains'
import { create, update } from '../../api/api.ts'
import { Form, textOf } from '../../parts/Form.tsx'
import { RemoveButton } from '../../parts/RemoveButton.tsx'
import { Section } from '../../parts/Section.tsx'
import { Copied } from '../../parts/values/Copied.tsx'
import { texts } from '../../texts.ts'
import { signTypedData } from '../../wallet/sign.ts'
import type { Wallet } from '../../wallet/useWallets.ts'
import { WalletButtons } from '../../wallet/WalletButtons.tsx'

const words = texts.refunds

type Step = { refund: Refund; onChange: () => Promise<unknown> }

/** The form or button of a refund's next step. */
export function NextStep({ refund, onChange }: Step) {
  const { id, status } = refund
  const isWaiting = status.startsWith('requires_')
  if (!isWaiting) return null
  return (
    <Section title={words.next}>
      {status === 'requires_destination' && <Destination refund={refund} onChange={onChange} />}
      {status === 'requires_confirmation' && <Confirmation refund={refund} onChange={onChange} />}
      {status === 'requires_signature' && <Signature refund={refund} onChange={onChange} />}
      <div className="row">
        <RemoveButton
          title={words.cancel}
          text={words.cancelText}
          action={words.cancel}
          onRemove={async () => {
            await create('/v1/refunds/{id}/cancel', { id })
            await onChange()
          }}
        />
      </div>
    </Section>
  )
}

function Destination({ refund, onChange }: Step) {
  return (
    <>
      <p>{words.sendLink}</p>
      <Copied text={refund.links.page} name={words.link} />
      <Form
        action={words.name}
        onSubmit={(fields) =>
          update('/v1/refunds/{id}', {
            id: refund.id,
            destination: textOf(fields, 'destination') as `0x${string}`,
          })
        }
        onDone={() => void onChange()}
      >
        <label>
          {words.destination}
          <input name="destination" required placeholder="0x…" spellCheck={false} />
        </label>
      </Form>
    </>
  )
}

function Confirmation({ refund, onChange }: Step) {
  const destination = (refund.destination ?? '') as `0x${string}`
  return (
    <Form
      action={words.confirm}
      onSubmit={() => create('/v1/refunds/{id}/confirm', { id: refund.id, destination })}
      onDone={() => void onChange()}
    >
      <p>{words.confirmText}</p>
      <p>
        <code>{destination}</code>
      </p>
    </Form>
  )
}

function Signature({ refund, onChange }: Step) {
  const { id, typed_data: typedData } = refund
  if (!typedData) return <p>{words.notYet}</p>
  const sign = async (wallet: Wallet) => {
    const { account, signature } = await signTypedData(
      wallet,
      chainFactsOf(refund.chain_id),
      (from) => ({
        ...typedData,
        types: { EIP712Domain: domainTypes, ...typedData.types },
        message: { from, ...typedData.message },
      }),
    )
    const authorization = { from: account as `0x${string}`, ...typedData.message }
    await create('/v1/refunds/{id}/authorize', {
      ...{ id, authorization },
      signature: signature as `0x${string}`,
    })
    await onChange()
  }
  return (
    <>
      <p>{words.signText}</p>
      <WalletButtons onChoose={sign} />
      <details>
        <summary>{words.elsewhere}</summary>
        <Form
          action={words.attach}
          onSubmit={(fields) =>
            create('/v1/refunds/{id}/attach', { id, tx_hash: textOf(fields, 'tx_hash') })
          }
          onDone={() => void onChange()}
        >
          <label>
            {words.transaction}
            <input name="tx_hash" required placeholder="0x…" spellCheck={false} />
            <small>{words.elsewhereText}</small>
          </label>
        </Form>
      </details>
    </>
  )
}

/** Some wallets require the types of the domain's fields. */
const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]
