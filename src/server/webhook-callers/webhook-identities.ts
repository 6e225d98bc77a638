import { dirname } from 'node:path'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { authorizationOf, material, readKubeconfig, text } from './kubeconfig.ts'

/** This server's credentials for a webhook. */
export interface WebhookIdentity {
  /** PEM. */
  readonly cert: string | undefined
  readonly key: string | undefined
  /** The Authorization header; called for each request, because a token file may change. */
  readonly authorization: () => string | undefined
}

/** The credentials for `HOST:PORT`; undefined: none. */
export type WebhookIdentities = (host: string) => WebhookIdentity | undefined

/**
 * Reads a kubeconfig whose users are named after webhooks: `hooks.shop.svc:443`, `*.shop.svc`, `*`; the default port is 443. The user of
 * the current context is for all others. @throws {WebhookConfigError}
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

/** The names that match a host, the most specific first. */
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
