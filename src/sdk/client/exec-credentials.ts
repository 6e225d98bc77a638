import { spawn } from 'node:child_process'
import { isAbsolute, resolve, sep } from 'node:path'
import { type Clock, holding, systemClock } from '../../base/clock.ts'
import { messageOf } from '../../base/message-of.ts'

/** What a credential plugin gave: a token, a certificate with its key, or both. */
export interface ExecCredential {
  readonly token?: string
  readonly cert?: string
  readonly key?: string
  /** Milliseconds since 1970; undefined: good until the process ends. */
  readonly untilMs?: number
}

/** The `exec` section of a kubeconfig's user, and the input of the plugin. */
export interface ExecPlugin {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly apiVersion: string
  /** Shown if the command is not found. */
  readonly installHint: string
  /** The cluster's fields for the plugin, if it asked for them (`provideClusterInfo`). */
  readonly cluster: Readonly<Record<string, unknown>> | undefined
  /** Where relative commands start from. */
  readonly folder: string
}

/** A credential plugin returned no credential; the message has its name and its output. */
export class ExecCredentialError extends Error {
  override readonly name = 'ExecCredentialError'
  readonly code = 'no-credential'
}

const GROUP = 'client.authentication.k8s.io'
const VERSIONS = [`${GROUP}/v1`, `${GROUP}/v1beta1`]
/** A plugin that takes longer is ended. */
const TIMEOUT_MS = 60_000
/** Longer output is an error. */
const MOST_BYTES = 1024 * 1024

/** Runs the plugin when a credential is needed, and again when the last one has expired. Concurrent calls share one run. */
export function execCredentials(
  plugin: ExecPlugin,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): () => Promise<ExecCredential> {
  let known: ExecCredential | undefined
  let asking: Promise<ExecCredential> | undefined
  return async () => {
    if (known !== undefined && (known.untilMs === undefined || known.untilMs > clock.now())) return known
    asking ??= holding(clock, `the credential plugin ${plugin.command}`, () => run(plugin, clock)).finally(() => {
      asking = undefined
    })
    known = await asking
    return known
  }
}

async function run(plugin: ExecPlugin, clock: Clock): Promise<ExecCredential> {
  if (!VERSIONS.includes(plugin.apiVersion))
    throw new ExecCredentialError(`exec plugin: invalid apiVersion ${JSON.stringify(plugin.apiVersion)}`)
  const info = {
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.cluster === undefined ? {} : { cluster: plugin.cluster }), interactive: false },
  }
  const said = await output(plugin, JSON.stringify(info), clock)
  let answer: unknown
  try {
    answer = JSON.parse(said)
  } catch (cause) {
    throw new ExecCredentialError(`decoding stdout of ${plugin.command}: ${messageOf(cause)}`)
  }
  return credentialOf(answer, plugin)
}

/** Reads the ExecCredential that a plugin printed. @throws {ExecCredentialError} in client-go's words */
export function credentialOf(answer: unknown, { apiVersion }: Pick<ExecPlugin, 'apiVersion'>): ExecCredential {
  const { apiVersion: said, status } = (answer ?? {}) as { apiVersion?: unknown; status?: Record<string, unknown> }
  if (said !== apiVersion)
    throw new ExecCredentialError(`exec plugin is configured to use API version ${apiVersion}, plugin returned version ${String(said)}`)
  if (status === undefined || status === null) throw new ExecCredentialError("exec plugin didn't return a status field")
  const field = (name: string) => (typeof status[name] === 'string' && status[name] !== '' ? status[name] : undefined)
  const [token, cert, key, until] = ['token', 'clientCertificateData', 'clientKeyData', 'expirationTimestamp'].map(field)
  if (token === undefined && cert === undefined && key === undefined)
    throw new ExecCredentialError("exec plugin didn't return a token or cert/key pair")
  if ((cert === undefined) !== (key === undefined)) throw new ExecCredentialError('exec plugin returned only certificate or key, not both')
  const untilMs = until === undefined ? undefined : Date.parse(until)
  return {
    ...(token === undefined ? {} : { token }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(untilMs === undefined || Number.isNaN(untilMs) ? {} : { untilMs }),
  }
}

function output(plugin: ExecPlugin, info: string, clock: Clock): Promise<string> {
  const { command, args, folder } = plugin
  // A command with a slash starts from the kubeconfig's folder, any other is looked up in PATH.
  const path = command.includes(sep) && !isAbsolute(command) ? resolve(folder, command) : command
  return new Promise((done, fail) => {
    const child = spawn(path, [...args], {
      env: { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const failed = (why: string) => {
      cancel()
      child.kill('SIGKILL')
      fail(new ExecCredentialError(`getting credentials: exec: ${why}`))
    }
    const cancel = clock.after(TIMEOUT_MS, () => failed(`executable ${command} took longer than ${TIMEOUT_MS} ms`))
    const parts: Buffer[] = []
    let size = 0
    child.stdout.on('data', (part: Buffer) => {
      size += part.length
      if (size > MOST_BYTES) failed(`executable ${command} printed more than ${MOST_BYTES} bytes`)
      else parts.push(part)
    })
    child.on('error', (error: NodeJS.ErrnoException) =>
      failed(
        error.code === 'ENOENT'
          ? `executable ${command} not found${plugin.installHint === '' ? '' : `\n\n${plugin.installHint}`}`
          : error.message,
      ),
    )
    child.on('close', (code, signal) => {
      if (code !== 0) return failed(`executable ${command} failed with ${signal === null ? `exit code ${code}` : `signal ${signal}`}`)
      cancel()
      done(Buffer.concat(parts).toString())
    })
  })
}
