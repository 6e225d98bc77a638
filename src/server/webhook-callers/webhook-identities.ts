import { dirname } from 'node:path'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { authorizationOf, material, readKubeconfig, text } from './kubeconfig.ts'

/** With what this server proves itself to a webhook. */
export interface WebhookIdentity {
  /** PEM. */
  readonly cert: string | undefined
  readonly key: string | undefined
  /** The Authorization header of a call; asked each time, for a token file may change. */
  readonly authorization: () => string | undefined
}

/** Finds the identity for `HOST:PORT`; undefined: nobody in particular. */
export type WebhookIdentities = (host: string) => WebhookIdentity | undefined

/**
 * Reads a kubeconfig whose users are named after the webhooks that they are for: `hooks.shop.svc:443`, `*.shop.svc`, `*`; without a port is
 * 443's. The user of the current context is for all others. @throws {WebhookConfigError}
 */
export async function readWebhookIdentities(file: string): Promise<WebhookIdentities> {
  const config = await readKubeconfig(file)
  const folder = dirname(file)
  const users = new Map(named(config.users, 'user').map(([name, user]) => [name, identityOf(user, folder)]))
  const current = named(config.contexts, 'context').find(([name]) => name === text(config['current-context']))?.[1]
  return (host) => {
    for (const name of namesFor(host)) {
      const found = users.get(name)
      if (found !== undefined) return found
    }
    return current === undefined ? undefined : users.get(text(current.user))
  }
}

/** The names under which an identity may stand, the nearest first. */
export function namesFor(host: string): string[] {
  const steps = (of: string): string[] => of.split('.').map((_, i, all) => (i === 0 ? of : `*.${all.slice(i).join('.')}`))
  const bare = host.endsWith(':443') ? host.slice(0, -':443'.length) : undefined
  return [...steps(host), ...(bare === undefined ? [] : steps(bare)), '*']
}

function named(list: JsonObject[string] | undefined, field: string): [string, JsonObject][] {
  if (!Array.isArray(list)) return []
  return list.filter(isObject).map((entry) => [text(entry.name), isObject(entry[field]) ? entry[field] : {}])
}

const identityOf = (user: JsonObject, folder: string): WebhookIdentity => ({
  cert: material(user, 'client-certificate', folder),
  key: material(user, 'client-key', folder),
  authorization: authorizationOf(user, folder),
})
