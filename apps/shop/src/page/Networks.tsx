import { type Chain, networks } from '../networks.ts'

/** Offers a choice of networks; empty if the shop sells on a single network. */
export function Networks(props: {
  among: readonly Chain[]
  chosen: Chain | undefined
  onChoose(chain: Chain): void
}) {
  if (props.among.length < 2) return null
  return (
    <label className="network">
      Network
      <select
        value={props.chosen}
        onChange={(event) => props.onChoose(event.target.value as Chain)}
      >
        {props.among.map((chain) => (
          <option key={chain} value={chain}>
            {networks[chain]}
          </option>
        ))}
      </select>
    </label>
  )
}
