import { type Role, roles } from '@payment-intents/contract'
import { conflict } from '@payment-intents/core'
import { z } from 'zod'
import { isMailAddress } from '../lib/mailAddress.ts'
import {
  insertPerson,
  type ListedPerson,
  listPeople,
  lockPeople,
  type Person,
  removePerson,
  updatePerson,
} from '../store/account/people.ts'
import { type Queryable, transaction } from '../store/connection/connect.ts'
import { newId } from '../store/lists/ids.ts'
import { queueMail } from '../store/mails/queueMail.ts'
import { type AccountContext, accountEndpoint } from './accountEndpoint.ts'
import { singleLineText, toRfc3339 } from './fieldFormats.ts'
import { noSuch } from './noSuch.ts'
import { createSignInLink, invitationSeconds } from './signInLink.ts'

/** Per merchant. */
const maxPeople = 100

const email = z.string().refine(isMailAddress, 'must be a mail address')
const invitationSchema = z.strictObject({
  name: singleLineText,
  email: email.nullable().default(null),
  role: z.enum(roles),
})
const changesSchema = z.strictObject({
  name: singleLineText.optional(),
  email: email.nullable().optional(),
  role: z.enum(roles).optional(),
})

export const peopleEndpoints = {
  listPeople: accountEndpoint({
    ...{ method: 'GET', path: '/account/people', role: 'owner', needsProof: false },
    async handle({ db }, { merchant }) {
      const people = await listPeople(db.pool, merchant.id)
      return { body: { data: people.map(presentPerson) } }
    },
  }),

  invitePerson: accountEndpoint({
    ...{ method: 'POST', path: '/account/people', role: 'owner', needsProof: true },
    notice: 'invited a person',
    body: invitationSchema,
    async handle(context, { merchant, merchantName, person: inviter, body }) {
      const { person, url } = await transaction(context.db, async (client) => {
        await lockPeople(client, merchant.id)
        if ((await listPeople(client, merchant.id)).length >= maxPeople) {
          throw conflict(
            'illegal_state',
            `A merchant has at most ${maxPeople} people. Remove a person first.`,
          )
        }
        const invited = await invite(client, context, { ...body, merchantId: merchant.id })
        // Without a mail, the owner passes on the link in this response.
        if (body.email && context.sendsMail) {
          await queueMail(client, {
            ...{ merchantId: merchant.id, to: body.email },
            subject: `${inviter.name} invites you to the payments of ${merchantName}`,
            text: `Sign in here, once, within seven days:\n\n${invited.url}\n`,
          })
        }
        return invited
      })
      return { body: { person: presentPerson(person), invitation_url: url }, subject: person.id }
    },
  }),

  renewInvitation: accountEndpoint({
    ...{ method: 'POST', path: '/account/people/:id/invitation', role: 'owner', needsProof: true },
    notice: 'invited a person again',
    async handle(context, { merchant, id }) {
      const url = await changePeople(context, merchant.id, id, async (client, person) => {
        // Refuse a link for somebody who has signed in before: with it an owner could act in their name.
        if (person.hasSignedIn) {
          throw conflict(
            'illegal_state',
            `${person.name} has signed in before. Remove them and invite them again if they have lost every passkey.`,
          )
        }
        return createSignInLink(client, context, person.id, invitationSeconds)
      })
      return { body: { invitation_url: url } }
    },
  }),

  updatePerson: accountEndpoint({
    ...{ method: 'PATCH', path: '/account/people/:id', role: 'owner', needsProof: true },
    notice: 'changed a person',
    body: changesSchema,
    async handle(context, { merchant, id, body }) {
      const changed = await changePeople(
        context,
        merchant.id,
        id,
        async (client, person, people) => {
          const { name = person.name, email = person.email, role = person.role } = body
          if (role !== 'owner') requireOwner(people, person)
          const next = { ...person, name, email, role }
          await updatePerson(client, next)
          return next
        },
      )
      return { body: presentPerson(changed) }
    },
  }),

  removePerson: accountEndpoint({
    ...{ method: 'DELETE', path: '/account/people/:id', role: 'owner', needsProof: true },
    notice: 'removed a person',
    async handle(context, { merchant, id }) {
      await changePeople(context, merchant.id, id, async (client, person, people) => {
        requireOwner(people, person)
        await removePerson(client, id, context.now())
      })
      return { body: { id, removed: true } }
    },
  }),
}

/** Creates a person, and the link that signs them in for the first time. */
export async function invite(
  db: Queryable,
  context: Pick<AccountContext, 'now' | 'dashboardUrl'>,
  invited: { merchantId: string; name: string; email: string | null; role: Role; seconds?: number },
): Promise<{ person: Person; url: string }> {
  const { seconds = invitationSeconds, ...terms } = invited
  const createdAt = context.now()
  const person = { ...terms, id: newId('per', createdAt), createdAt }
  await insertPerson(db, person)
  return { person, url: await createSignInLink(db, context, person.id, seconds) }
}

/** Changes a person of a merchant under a lock on the merchant's people. */
async function changePeople<Result>(
  { db }: AccountContext,
  merchantId: string,
  id: string,
  change: (
    client: Queryable,
    person: ListedPerson,
    people: readonly ListedPerson[],
  ) => Promise<Result>,
): Promise<Result> {
  return transaction(db, async (client) => {
    await lockPeople(client, merchantId)
    const people = await listPeople(client, merchantId)
    const person = people.find((candidate) => candidate.id === id)
    if (!person) throw noSuch('person')
    return change(client, person, people)
  })
}

/** If an owner leaves, requires another owner who has signed in: an invited owner may have lost the link. */
function requireOwner(people: readonly ListedPerson[], leaving: ListedPerson): void {
  const remaining = people.some(
    ({ id, role, hasSignedIn }) => role === 'owner' && hasSignedIn && id !== leaving.id,
  )
  if (leaving.role !== 'owner' || remaining) return
  throw conflict(
    'illegal_state',
    'A merchant needs another owner who has signed in. Invite an owner first.',
  )
}

function presentPerson(person: Person & Partial<ListedPerson>) {
  const { id, name, email, role, createdAt, lastUsedAt = null, hasSignedIn = false } = person
  return {
    ...{ id, name, email, role, has_signed_in: hasSignedIn },
    created_at: toRfc3339(createdAt),
    last_used_at: lastUsedAt === null ? null : toRfc3339(lastUsedAt),
  }
}
