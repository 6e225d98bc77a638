import { closeSync, openSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { codeOf } from '../../base/has-code.ts'
import { messageOf } from '../../base/message-of.ts'
import { goDecode } from '../../machinery/go/go-decode.ts'
import { isRequestUri, parseRequestUri, UrlError } from '../../machinery/go/go-url.ts'
import { isObject, type Json, type JsonObject } from '../../machinery/object.ts'
import { CONFIG } from './kubeconfig-type.ts'

/** An invalid kubeconfig of a webhook; the message is Kubernetes'. */
export class WebhookConfigError extends Error {
  override readonly name = 'WebhookConfigError'
  readonly code = 'invalid'
}

/** A webhook's URL, its trusted authorities, and this server's credentials. */
export interface WebhookTarget {
  /** The server of the kubeconfig, path included. */
  readonly url: URL
  readonly tls: ConnectionOptions
  /** The Authorization header; called for each request, because a token file may change. */
  readonly authorization: () => string | undefined
}

/** Reads a webhook's kubeconfig file (YAML or JSON). File names in it are relative to its folder. @throws {WebhookConfigError} */
export async function readWebhookKubeconfig(file: string): Promise<WebhookTarget> {
  if (file === '') throw new WebhookConfigError(EMPTY)
  return webhookTarget(await readKubeconfig(file), dirname(file))
}

/** Parses a kubeconfig file. @throws {WebhookConfigError} */
export async function readKubeconfig(file: string): Promise<JsonObject> {
  const failed = (why: string) => new WebhookConfigError(`error loading config file ${JSON.stringify(file)}: ${why}`)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const why = whyUnreadable(error)
    throw codeOf(error) === 'ENOENT'
      ? new WebhookConfigError(`stat ${file}: ${why}`)
      : failed(`${codeOf(error) === 'EISDIR' ? 'read' : 'open'} ${file}: ${why}`)
  }
  if (text.trim() === '') return {}
  const { ConfigurationFileError, notRegistered, readTypeMeta, readYaml } = await import('../../machinery/configuration-file.ts')
  try {
    const { value } = readYaml(text)
    const { apiVersion, kind } = readTypeMeta(value, text, { apiVersion: 'v1', kind: 'Config' })
    if (apiVersion !== 'v1' || kind !== 'Config') throw notRegistered(kind, apiVersion)
    const decoded = goDecode(value, CONFIG)
    if (decoded.fault !== undefined) throw new ConfigurationFileError(decoded.fault)
    const config = isObject(decoded.value) ? decoded.value : {}
    const twice = nameTwice(config)
    if (twice !== undefined) throw new ConfigurationFileError(twice)
    return config
  } catch (error) {
    throw error instanceof ConfigurationFileError ? failed(error.message) : error
  }
}

const EMPTY = 'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable'

/** The webhook of the current context. */
function webhookTarget(config: JsonObject, folder: string): WebhookTarget {
  const current = text(config['current-context'])
  const found = current === '' ? {} : named(config.contexts, current, 'context')
  const context = found ?? {}
  const names = { cluster: text(context.cluster), user: text(context.user) }
  const cluster = named(config.clusters, names.cluster, 'cluster') ?? {}
  const user = named(config.users, names.user, 'user') ?? {}
  const faults = [
    ...(found === undefined ? [`context was not found for specified context: ${current}`] : []),
    ...userFaults(user, names.user, folder),
    ...clusterFaults(cluster, names.cluster, folder),
  ]
  if (faults.length === 1 && Object.keys(cluster).length === 0) throw new WebhookConfigError(EMPTY)
  if (faults.length > 0) {
    throw new WebhookConfigError(`invalid configuration: ${faults.length === 1 ? faults[0] : `[${faults.join(', ')}]`}`)
  }
  if (user.exec !== undefined || user['auth-provider'] !== undefined) {
    throw new WebhookConfigError(
      `invalid configuration: user "${names.user}" gets its credentials from a program, which webhooks may not have`,
    )
  }
  const tokenFile = text(user.tokenFile)
  if (tokenFile !== '' && text(user.token) === '') readOrExplain(resolve(folder, tokenFile))
  const url = serverUrl(text(cluster.server))
  return { url, tls: url.protocol === 'https:' ? webhookTls(cluster, user, folder) : {}, authorization: authorizationOf(user, folder) }
}

function serverUrl(server: string): URL {
  const full = isUrlWithHost(server) ? server : `http://${server}`
  const noHost = () => new WebhookConfigError(`host must be a URL or a host:port pair: ${JSON.stringify(server)}`)
  try {
    const { escapedPath } = parseRequestUri(full)
    if (full !== server && escapedPath !== '' && escapedPath !== '/') throw noHost()
  } catch (error) {
    throw error instanceof UrlError ? new WebhookConfigError(`parse ${JSON.stringify(full)}: ${error.message}`) : error
  }
  if (!URL.canParse(full)) throw noHost()
  const url = new URL(full)
  // Only host and path are used.
  url.search = ''
  url.hash = ''
  return url
}

const isUrlWithHost = (text: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?]/.test(text) && isRequestUri(text)

function webhookTls(cluster: JsonObject, user: JsonObject, folder: string): ConnectionOptions {
  const insecure = cluster['insecure-skip-tls-verify'] === true
  const ca = material(cluster, 'certificate-authority', folder)
  if (insecure && ca !== undefined)
    throw new WebhookConfigError('specifying a root certificates file with the insecure flag is not allowed')
  if (ca !== undefined && !ca.includes('-----BEGIN CERTIFICATE-----')) {
    const why = ca.includes('-----BEGIN ') ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block'
    throw new WebhookConfigError(`unable to load root certificates: ${why}`)
  }
  const cert = material(user, 'client-certificate', folder)
  const key = material(user, 'client-key', folder)
  const servername = text(cluster['tls-server-name'])
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(servername === '' ? {} : { servername }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  }
}

export function authorizationOf(user: JsonObject, folder: string): () => string | undefined {
  const file = text(user.tokenFile)
  const token = text(user.token)
  if (file !== '') return () => `Bearer ${readToken(resolve(folder, file)) ?? token}`
  if (token !== '') return () => `Bearer ${token}`
  const [name, password] = [text(user.username), text(user.password)]
  if (name === '' && password === '') return () => undefined
  const basic = `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`
  return () => basic
}

/** While a token file cannot be read, the token of the kubeconfig is used. */
function readToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

function userFaults(user: JsonObject, name: string, folder: string): string[] {
  const methods = [
    ...(text(user.token) === '' ? [] : ['token']),
    ...(text(user.username) === '' && text(user.password) === '' ? [] : ['basicAuth']),
  ]
  const faults: string[] = []
  const has = (field: string) => text(user[field]) !== ''
  if (has('client-certificate') || has('client-certificate-data')) {
    if (has('client-certificate') && has('client-certificate-data'))
      faults.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override.`)
    if (has('client-key') && has('client-key-data'))
      faults.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`)
    if (!has('client-key') && !has('client-key-data'))
      faults.push(`client-key-data or client-key must be specified for ${name} to use the clientCert authentication method.`)
    faults.push(...unreadable(user, 'client-certificate', `client-cert %s for ${name}`, folder))
    faults.push(...unreadable(user, 'client-key', `client-key %s for ${name}`, folder))
  }
  if (isObject(user.exec)) {
    for (const field of ['command', 'apiVersion', 'interactiveMode']) {
      if (text(user.exec[field]) === '') faults.push(`${field} must be specified for ${name} to use exec authentication plugin`)
    }
  }
  if (methods.length > 1)
    faults.push(`more than one authentication method found for ${name}; found [${methods.join(' ')}], only one is allowed`)
  return faults
}

function clusterFaults(cluster: JsonObject, name: string, folder: string): string[] {
  if (Object.keys(cluster).length === 0) return ['cluster has no server defined']
  const faults: string[] = []
  if (text(cluster.server) === '')
    faults.push(name === '' ? 'cluster has no server defined' : `no server found for cluster ${JSON.stringify(name)}`)
  const proxy = text(cluster['proxy-url'])
  if (proxy !== '') faults.push(`invalid 'proxy-url' ${JSON.stringify(proxy)} for cluster ${JSON.stringify(name)}: ${proxyFault(proxy)}`)
  if (text(cluster['certificate-authority']) !== '' && text(cluster['certificate-authority-data']) !== '')
    faults.push(
      `certificate-authority-data and certificate-authority are both specified for ${name}. certificate-authority-data will override.`,
    )
  faults.push(...unreadable(cluster, 'certificate-authority', `certificate-authority %s for ${name}`, folder))
  return faults
}

/** Go's message for a duplicate name in one of the lists, without the list itself. */
function nameTwice(config: JsonObject): string | undefined {
  for (const [list, named, type] of [
    ['clusters', 'NamedCluster', 'Cluster'],
    ['users', 'NamedAuthInfo', 'AuthInfo'],
    ['contexts', 'NamedContext', 'Context'],
  ] as const) {
    const names = Array.isArray(config[list]) ? config[list].map((item) => (isObject(item) ? text(item.name) : '')) : []
    const twice = names.find((name, i) => names.indexOf(name) < i)
    if (twice !== undefined)
      return `error converting *[]${named} into *map[string]*api.${type}: duplicate name ${JSON.stringify(twice)} in list`
  }
  return undefined
}

function proxyFault(proxy: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(proxy)?.[1] ?? ''
  if (proxy.startsWith(':') || (scheme !== '' && !isRequestUri(proxy))) return `could not parse: ${proxy}`
  return ['http', 'https', 'socks5'].includes(scheme)
    ? 'webhooks are not asked through proxies here: name the webhook itself'
    : `unsupported scheme ${JSON.stringify(scheme)}, must be http, https, or socks5`
}

function unreadable(from: JsonObject, field: string, what: string, folder: string): string[] {
  const name = text(from[field])
  if (name === '') return []
  const file = resolve(folder, name)
  try {
    closeSync(openSync(file, 'r'))
    return []
  } catch (error) {
    return [`unable to read ${what.replace('%s', file)} due to open ${file}: ${whyUnreadable(error)}`]
  }
}

/** `FIELD-data` in base64, or the content of the file in FIELD. */
export function material(from: JsonObject, field: string, folder: string): string | undefined {
  const data = text(from[`${field}-data`])
  if (data !== '') return Buffer.from(data, 'base64').toString()
  const name = text(from[field])
  return name === '' ? undefined : readOrExplain(resolve(folder, name))
}

/** @throws {WebhookConfigError} */
function readOrExplain(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new WebhookConfigError(`${codeOf(error) === 'EISDIR' ? 'read' : 'open'} ${file}: ${whyUnreadable(error)}`, { cause: error })
  }
}

export const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

function named(list: Json | undefined, name: string, field: string): JsonObject | undefined {
  if (!Array.isArray(list)) return undefined
  const entry = list.find((item): item is JsonObject => isObject(item) && item.name === name)
  if (entry === undefined) return undefined
  return isObject(entry[field]) ? entry[field] : {}
}

/** The system's message for a file that cannot be read. */
export function whyUnreadable(error: unknown): string {
  const code = codeOf(error)
  if (code === 'ENOENT') return 'no such file or directory'
  if (code === 'EACCES') return 'permission denied'
  if (code === 'EISDIR') return 'is a directory'
  return messageOf(error)
}
