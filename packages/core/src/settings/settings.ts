import { type Chain, type Mode, modeSchema, type UpdateSettings } from '@payment-intents/contract'
import { conflict, HttpError, invalidBody } from '../http/httpError.ts'
import { logoOf } from '../pictures/logo.ts'
import { pictureFromDataUrl } from '../pictures/pictureFromDataUrl.ts'
import type { Picture } from '../pictures/pictureOf.ts'
import type { Actor, Handler, Service, ServiceResponse } from '../service.ts'
import { presentSettings } from './presentSettings.ts'
import { settingRules } from './settingRules.ts'
import type { ChainChange, SettingsChange } from './store.ts'

export const retrieveSettings: Handler<'retrieveSettings'> = (service, { actor }) =>
  respond(service, actor)

export const updateSettings: Handler<'updateSettings'> = async (service, { actor, body }) => {
  const change = readChange(service, actor.mode, body)
  const updated = await service.store.settings.update(actor.merchantId, change)
  if (updated.type === 'no_wallet') {
    const message = `No wallet is registered on ${updated.chain} in ${actor.mode} mode.`
    throw conflict('illegal_state', message)
  }
  return respond(service, actor)
}

async function respond(service: Service, actor: Actor): Promise<ServiceResponse> {
  const settings = await service.store.settings.find(actor)
  if (!settings) throw new HttpError('merchant_not_found', 'There is no such merchant.')
  return { body: JSON.stringify(presentSettings(actor, settings, service)) }
}

/** @throws {HttpError} `invalid_body` */
function readChange(service: Service, mode: Mode, body: UpdateSettings): SettingsChange {
  const { name, default_chain: defaultChain, brand = {}, support, guide, chains } = body
  if (defaultChain) {
    const isFollowed = modeSchema.options.some((each) => service.confirmations(each)[defaultChain])
    if (!isFollowed) throw notFollowed('default_chain', 'payments', defaultChain)
  }
  return {
    ...(name === undefined ? {} : { name: readText('name', 'name', name) }),
    ...(defaultChain === undefined ? {} : { defaultChain }),
    ...(support === undefined ? {} : { support: readNullable('support', 'support', support) }),
    ...(guide === undefined ? {} : { guide: readNullable('guide', 'guide', guide) }),
    ...(brand.accent === undefined
      ? {}
      : { accent: readNullable('accent', 'brand.accent', brand.accent) }),
    ...(brand.logo === undefined ? {} : { logo: readLogo(brand.logo) }),
    ...(chains === undefined ? {} : { chains: readChains(service, mode, chains) }),
  }
}

function readNullable(
  rule: keyof typeof settingRules,
  path: string,
  text: string | null,
): string | null {
  return text === null ? null : readText(rule, path, text)
}

function readLogo(dataUrl: string | null): Picture | null {
  return dataUrl === null ? null : pictureFromDataUrl(dataUrl, 'brand.logo', logoOf)
}

function readText(rule: keyof typeof settingRules, path: string, text: string): string {
  const { parse, must } = settingRules[rule]
  const value = parse(text)
  if (value === null) throw invalidBody([{ path, message: must }])
  return value
}

function readChains(
  { confirmations }: Pick<Service, 'confirmations'>,
  mode: Mode,
  chains: NonNullable<UpdateSettings['chains']>,
): ChainChange[] {
  const changes = Object.entries(chains) as [Chain, (typeof chains)[Chain]][]
  return changes.map(([chain, change = {}]) => {
    if (!confirmations(mode)[chain]) {
      throw notFollowed(`chains.${chain}`, `${mode} payments`, chain)
    }
    const { match_plain_price: matchPlainPrice, confirmations_required: required } = change
    return {
      ...{ mode, chain },
      ...(matchPlainPrice === undefined ? {} : { matchPlainPrice }),
      ...(required === undefined ? {} : { confirmationsRequired: required }),
    }
  })
}

function notFollowed(path: string, payments: string, chain: Chain): HttpError {
  return invalidBody([{ path, message: `this server does not take ${payments} on ${chain}` }])
}
