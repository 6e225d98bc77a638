import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Clock, keepAlive, systemClock } from '../../base/clock.ts'
import { HeldResources } from '../../base/collections/held-resources.ts'
import { fixedText } from '../../base/live-text.ts'
import { type Logger, silentLogger } from '../../base/logger.ts'
import { makeFolder } from '../../base/make-folder.ts'
import { untilAborted } from '../../base/on-abort.ts'
import type { OpenedPort } from '../../base/opened-port.ts'
import { systemRandom } from '../../base/random.ts'
import { advertisedAddress } from '../../server/kubernetes-service/advertised-address.ts'
import { goFileError } from '../../server/option-file.ts'
import { familyFaults } from '../../server/options/network.ts'
import type { ServerOptions } from '../../server/options/server-options.ts'
import { OptionsError } from '../../server/options-error.ts'
import { noReports } from '../../server/reports/part-reports.ts'
import { openCertificates } from '../certificates.ts'
import { openStore } from './open-store.ts'
import { openServerPart } from './server-part.ts'

/** A bare API server, like kube-apiserver: without scheduler, controllers and nodes. */
export interface RunningServer extends AsyncDisposable {
  /** `https://127.0.0.1:6443` */
  readonly address: string
  /** Makes it unready while it still serves for the configured time; then ends its connections, each after its pending requests. */
  drain(): Promise<void>
  /** Resolves with the reason why the server cannot continue; never rejects. */
  readonly failed: Promise<Error>
}

/** Starts the server; resolves when it listens. */
export async function startApiServer(
  given: ServerOptions,
  deps: { readonly log?: Logger; readonly opened?: OpenedPort; readonly hostname?: string } = {},
): Promise<RunningServer> {
  const { log = silentLogger } = deps
  const clock = systemClock
  const options = withCertificate(withAddress(given), clock)
  await using held = new HeldResources()
  held.defer(keepAlive())
  const random = systemRandom()
  const { encryption: encrypted } = options.storage
  const encryption = encrypted && (await (await import('./open-encryption.ts')).openEncryption(encrypted, { clock, log, random }))
  const part = held.use(
    await openServerPart(options, {
      opening: openStore(options.storage, clock, log, encryption),
      ...(encryption && { encryption }),
      parts: new Set(['server']),
      clock,
      random,
      log,
      freeze: false,
      connectors: {},
      reports: noReports(),
      ...(deps.opened && { opened: deps.opened }),
      ...(deps.hostname !== undefined && { hostname: deps.hostname }),
    }),
  )
  const { failed } = part.watchCache
  const failure = untilAborted(failed).then(() => new Error('the store is gone', { cause: failed.reason }))
  const { address } = await part.server.listen()
  const upkeep = part.upkeep({ address: options.network.advertiseAddress, port: () => Number(new URL(address).port || 443) })
  await upkeep.sync()
  const stop = new AbortController()
  const keeping = upkeep.run(stop.signal)
  held.defer(async () => {
    stop.abort()
    await keeping
  })
  const all = held.move()
  const drain = async () => {
    part.server.stopping()
    stop.abort()
    await keeping
    const { shutdownDelayMs, timeoutMs } = options.requests
    await Promise.all([upkeep.leave(), shutdownDelayMs > 0 && clock.sleep(shutdownDelayMs)])
    await part.server.drain(timeoutMs)
  }
  return { address, failed: failure, drain, [Symbol.asyncDispose]: () => all[Symbol.asyncDispose]() }
}

/**
 * Sets the advertised address if there is none.
 * @throws {OptionsError} if it cannot be an endpoint of the service `kubernetes`
 */
function withAddress(options: ServerOptions): ServerOptions {
  const { serving, network } = options
  const address = advertisedAddress({ advertise: network.advertiseAddress, host: serving.host })
  const [fault] = address !== undefined && network.reconcileEndpoints ? familyFaults(network.serviceCidr, address) : []
  if (fault !== undefined) throw new OptionsError('bad-option', fault)
  return { ...options, network: { ...network, advertiseAddress: address } }
}

/** Sets a self-signed certificate if there is none: stored in the folder, as `apiserver.crt` and `apiserver.key`. */
export function withCertificate(options: ServerOptions, clock: Clock): ServerOptions {
  const { serving, network } = options
  if (serving.certificate !== undefined) return options
  const [cert, key] = ['apiserver.crt', 'apiserver.key'].map((name) => path.join(serving.certDir, name)) as [string, string]
  if (!existsSync(cert) || !existsSync(key)) {
    const hosts = [serving.host, network.advertiseAddress ?? ''].filter((host) => host !== '' && host !== '0.0.0.0' && host !== '::')
    const made = openCertificates({ folder: undefined, serviceCidr: network.serviceCidr, hosts }, { clock })
    try {
      makeFolder(serving.certDir)
      writeFileSync(cert, made.serving.certificate + made.ca.certificate, { mode: 0o644 })
      writeFileSync(key, made.serving.key, { mode: 0o600 })
    } catch (error) {
      const reason = goFileError(error, serving.certDir)
      throw new OptionsError('bad-file', `error creating self-signed certificates: ${reason}`, { cause: error })
    }
  }
  const certificate = { cert: fixedText(readFileSync(cert, 'utf8')), key: fixedText(readFileSync(key, 'utf8')) }
  return { ...options, serving: { ...serving, certificate } }
}
