import { invite } from '../account/peopleEndpoints.ts'
import { createSignInLink, signInSeconds } from '../account/signInLink.ts'
import { findOpenMerchant, listPeople, lockPeople } from '../store/account/people.ts'
import { type Queryable, transaction } from '../store/connection/connect.ts'
import { listMerchants } from '../store/merchants/merchants.ts'
import { type Command, UsageError } from './command.ts'

export const dashboardCommands: Record<string, Command> = {
  dashboard: {
    subject: 'MERCHANT',
    findSubject: theOnlyMerchant,
    async run(pool, merchantId, options, { db, dashboardUrl }) {
      if (!dashboardUrl) {
        throw new UsageError('DASHBOARD_URL is not set: set it as for the server.')
      }
      if (!(await findOpenMerchant(pool, merchantId))) {
        throw new UsageError(
          `Merchant ${merchantId} does not exist, or is closed: merchant list shows all.`,
        )
      }
      const context = { dashboardUrl, now: Date.now }
      const link = await transaction(db, async (client) => {
        await lockPeople(client, merchantId)
        const people = await listPeople(client, merchantId)
        const person = people.find(({ id, role }) =>
          options.person === undefined ? role === 'owner' : id === options.person,
        )
        if (person) {
          const url = await createSignInLink(client, context, person.id, signInSeconds)
          return { url, name: person.name, role: person.role }
        }
        if (options.person !== undefined) {
          throw new UsageError(`Merchant ${merchantId} has no person ${options.person}.`)
        }
        const owner = { merchantId, name: 'Owner', email: null, role: 'owner' } as const
        const { url } = await invite(client, context, { ...owner, seconds: signInSeconds })
        return { url, name: owner.name, role: owner.role }
      })
      return {
        print: link.url,
        note: `The link signs in ${link.name} (${link.role}) once, within ten minutes.`,
      }
    },
  },
}

async function theOnlyMerchant(db: Queryable): Promise<string> {
  const [only, ...others] = (await listMerchants(db)).filter((merchant) => !merchant.closed_at)
  if (only && others.length === 0) return only.id
  throw new UsageError(
    only
      ? 'Name the merchant: there are several.'
      : 'There is no merchant: create a merchant with merchant create.',
  )
}
