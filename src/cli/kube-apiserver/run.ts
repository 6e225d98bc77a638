import { codeOf } from '../../base/has-code.ts'
import type { Logger } from '../../base/logger.ts'
import { messageOf } from '../../base/message-of.ts'
import type { OpenedPort } from '../../base/opened-port.ts'
import { KUBERNETES_VERSION } from '../../base/version.ts'
import { PortError } from '../../cluster/config.ts'
import { startApiServer } from '../../cluster/server/api-server.ts'
import { FlagError, type ParsedFlags } from '../../machinery/flags/parse-flags.ts'
import { readServerOptions, type SERVER_FLAGS, type ServerOptions } from '../../server/options/server-options.ts'
import { OptionsError } from '../../server/options-error.ts'
import { started } from '../stop-signal.ts'
import { apiServerHelp } from './help.ts'
import { klogLogger, klogText, writeKlog } from './klog.ts'
import { parseServerFlags, type RunningServer, serveUntil, takeVersion } from './serve.ts'

/**
 * The program `kube-apiserver` of `bowsprit assets`: flags, files, log lines and exit codes are kube-apiserver's. Objects are stored in the
 * etcd of `--etcd-servers`, which must be the one from the same assets. `BOWSPRIT_PARTS` lists further parts of a cluster that run in the
 * same process.
 */
export async function runKubeApiServer(words: readonly string[], opening?: Promise<OpenedPort>): Promise<void> {
  if (words.includes('--help') || words.includes('-h')) return void console.log(apiServerHelp('kube-apiserver'))
  const stop = firstSignal()
  try {
    const { wanted, rest } = takeVersion(words)
    if (wanted) return void console.log(`Kubernetes ${KUBERNETES_VERSION}`)
    const flags = parseServerFlags(rest)
    for (const notice of flags.notices) console.error(notice)
    const options = optionsOf(flags)
    const opened = await opening
    const server = await started(start(options, { log: klogLogger(flags.values.v), ...(opened && { opened }) }), stop)
    const { host } = new URL(server.address)
    writeKlog('I', 'secure_serving.go:214', `Serving securely on ${host}`)
    await serveUntil(stop, server)
    process.exit(0)
  } catch (error) {
    if (error instanceof FlagError) console.error(`Error: ${error.message}`)
    else writeKlog('E', 'run.go:72', klogText('command failed', { error: reasonOf(error) }))
    process.exit(1)
  }
}

function optionsOf(flags: ParsedFlags<typeof SERVER_FLAGS>): ServerOptions {
  if (flags.values['data-dir'] === '' && flags.values['etcd-servers'].length === 0)
    throw new OptionsError('bad-option', '--etcd-servers must be specified')
  const options = readServerOptions(flags)
  return { ...options, storage: { ...options.storage, etcdOfAssets: true } }
}

async function start(options: ServerOptions, deps: { readonly log: Logger; readonly opened?: OpenedPort }): Promise<RunningServer> {
  const parts = process.env.BOWSPRIT_PARTS ?? 'server'
  if (parts === 'server' || parts === '') return startApiServer(options, deps)
  const { startParts } = await import('./parts.ts')
  return startParts(
    parts.split(',').map((part) => part.trim()),
    options,
    deps,
  )
}

/** Go's messages for a failed listen. */
const BIND_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'cannot assign requested address',
  EACCES: 'permission denied',
}

/** kube-apiserver's message if it has one. */
function reasonOf(given: unknown): string {
  const error = given instanceof PortError ? given.cause : given
  const why = BIND_FAULTS[codeOf(error) ?? '']
  if (error instanceof Error && why !== undefined && 'address' in error && 'port' in error) {
    const at = `${error.address}:${error.port}`
    return `failed to create listener: failed to listen on ${at}: listen tcp ${at}: bind: ${why}`
  }
  return messageOf(error)
}

/** Resolves at the first SIGINT or SIGTERM; the second ends the process at once, as it does kube-apiserver. */
function firstSignal(): Promise<string> {
  return new Promise((resolve) => {
    let reported = false
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(name, () => {
        if (reported) process.exit(1)
        reported = true
        resolve(name)
      })
  })
}
