import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { messageOf } from '../../base/message-of.ts'
import type { HttpsConfig } from './https.ts'

/** The content of a kubeconfig's context: server, credentials, and default namespace. */
export interface KubeconfigContext extends HttpsConfig {
  /** Its name. */
  readonly context: string
  /** The default namespace: the context's, or `default`. */
  readonly namespace: string
}

/** What is wrong with a kubeconfig. */
export type KubeconfigErrorCode = 'malformed' | 'no-context' | 'no-cluster' | 'no-user' | 'unreadable-file' | 'unsupported'

/** A kubeconfig that cannot be used. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'
  readonly code: KubeconfigErrorCode
  constructor(code: KubeconfigErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Which context of a kubeconfig, and where its files are. */
export interface KubeconfigOptions {
  /** Which context; the file's `current-context` when absent. */
  readonly context?: string
  /** The folder that relative file names start from: the kubeconfig's own. */
  readonly folder?: string
}

type Fields = Readonly<Record<string, unknown>>

/** Reads a kubeconfig (YAML or JSON text). Certificates may be inline or files; YAML is loaded only when the text is not JSON. */
export async function loadKubeconfig(text: string, options: KubeconfigOptions = {}): Promise<KubeconfigContext> {
  const file = await parse(text)
  const name = options.context ?? text_(file['current-context'])
  const context = named(file.contexts, name, 'context')
  if (context === undefined)
    throw new KubeconfigError('no-context', `the kubeconfig has no context ${JSON.stringify(name ?? '')}: name one of its contexts`)
  const cluster = named(file.clusters, text_(context.cluster), 'cluster')
  if (cluster === undefined)
    throw new KubeconfigError(
      'no-cluster',
      `context ${name} names cluster ${JSON.stringify(context.cluster)}, which the kubeconfig does not have`,
    )
  const user = context.user === undefined ? {} : named(file.users, text_(context.user), 'user')
  if (user === undefined)
    throw new KubeconfigError('no-user', `context ${name} names user ${JSON.stringify(context.user)}, which the kubeconfig does not have`)
  if (user['auth-provider'] !== undefined) {
    const why = 'which is no longer supported: use a credential plugin (exec), a token or a certificate'
    throw new KubeconfigError('unsupported', `user ${String(context.user)} gets its credentials from an auth-provider, ${why}`)
  }
  const read = reader(options.folder ?? '.')
  const ca = read(cluster, 'certificate-authority')
  const cert = read(user, 'client-certificate')
  const key = read(user, 'client-key')
  const token = text_(user.token) ?? read(user, 'tokenFile')?.trim()
  const serverName = text_(cluster['tls-server-name'])
  const given = await fromPlugin(user, cluster, { folder: options.folder ?? '.', user: String(context.user) })
  return {
    context: name ?? '',
    namespace: text_(context.namespace) ?? 'default',
    server: text_(cluster.server) ?? '',
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(token === undefined ? {} : { token }),
    ...(serverName === undefined ? {} : { serverName }),
    ...(cluster['insecure-skip-tls-verify'] === true ? { insecureSkipTlsVerify: true } : {}),
    ...given,
  }
}

type Given = Pick<HttpsConfig, 'token' | 'cert' | 'key'>

/** What the user's credential plugin gives: certificates as they are now, tokens whenever one is needed. */
async function fromPlugin(user: Fields, cluster: Fields, at: { readonly folder: string; readonly user: string }): Promise<Given> {
  const { exec } = user
  if (exec === undefined || exec === null) return {}
  const plugin = exec as Fields
  const missing = ['command', 'apiVersion'].find((field) => text_(plugin[field]) === undefined)
  if (missing !== undefined) {
    throw new KubeconfigError('malformed', `${missing} must be specified for ${at.user} to use exec authentication plugin`)
  }
  if (plugin.interactiveMode === 'Always') {
    throw new KubeconfigError('unsupported', `the credential plugin of user ${at.user} asks for a terminal, which there is none of here`)
  }
  const { execCredentials } = await import('./exec-credentials.ts')
  const credentials = execCredentials({
    command: text_(plugin.command) ?? '',
    args: texts(plugin.args),
    env: Object.fromEntries(records(plugin.env).map(({ name, value }) => [String(name), String(value)])),
    apiVersion: text_(plugin.apiVersion) ?? '',
    installHint: text_(plugin.installHint) ?? '',
    cluster: plugin.provideClusterInfo === true ? { ...cluster, ...pluginConfig(cluster) } : undefined,
    folder: at.folder,
  })
  const { token, cert, key } = await credentials()
  return {
    ...(token === undefined ? {} : { token: async () => (await credentials()).token ?? '' }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  }
}

/** The cluster's configuration for plugins, from the extension of that name. */
function pluginConfig(cluster: Fields): Fields {
  const found = records(cluster.extensions).find((e) => e.name === 'client.authentication.k8s.io/exec')
  return found === undefined ? {} : { config: found.extension }
}

const texts = (list: unknown): readonly string[] => (Array.isArray(list) ? list.map(String) : [])
const records = (list: unknown): readonly Fields[] =>
  Array.isArray(list) ? list.filter((item): item is Fields => item !== null && typeof item === 'object') : []

async function parse(text: string): Promise<Fields> {
  try {
    const value: unknown = text.trimStart().startsWith('{') ? JSON.parse(text) : (await import('js-yaml')).load(text)
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Fields
  } catch (cause) {
    throw new KubeconfigError('malformed', `the kubeconfig is not YAML: ${messageOf(cause)}`, {
      cause,
    })
  }
  throw new KubeconfigError('malformed', 'the kubeconfig is not a map')
}

const text_ = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function named(list: unknown, name: string | undefined, field: string): Fields | undefined {
  if (!Array.isArray(list)) return undefined
  const entry = (list as Fields[]).find((item) => item?.name === name)
  const value = entry?.[field]
  return value !== null && typeof value === 'object' ? (value as Fields) : undefined
}

/** Reads `<field>-data` (base64) or the file that `<field>` names. */
const reader = (folder: string) => (from: Fields, field: string) => {
  const data = text_(from[`${field}-data`])
  if (data !== undefined) return Buffer.from(data, 'base64').toString()
  const path = text_(from[field])
  if (path === undefined) return undefined
  try {
    return readFileSync(resolve(folder, path), 'utf8')
  } catch (cause) {
    throw new KubeconfigError(
      'unreadable-file',
      `cannot read ${path}, which the kubeconfig names as ${field}: check the path and its permissions`,
      { cause },
    )
  }
}

/** Reads the kubeconfig at a path; file names in it are relative to its folder. */
export function loadKubeconfigFile(path: string, options: Omit<KubeconfigOptions, 'folder'> = {}): Promise<KubeconfigContext> {
  return loadKubeconfig(readFileSync(path, 'utf8'), { ...options, folder: dirname(path) })
}
