import path from 'node:path'
import { holding } from '../base/clock.ts'
import type { ServerOptions } from '../server/options/server-options.ts'
import { OptionsError } from '../server/options-error.ts'
import type { Store } from '../storage/store.ts'
import { type ClusterCertificates, openCertificates } from './certificates.ts'
import { ConfigError } from './config.ts'
import { API_SERVER_ADDRESS } from './nodes/simulated-addresses.ts'
import type { ClusterSetup } from './read-setup.ts'
import type { ServerEncryption } from './server/open-encryption.ts'
import { openStore } from './server/open-store.ts'
import { serverOptionsOf } from './server/server-options.ts'

/** The persistent state of a cluster, and the server options that follow from it. */
export interface ClusterFoundation {
  /** Still being opened. The phase that awaits it owns the store. */
  readonly opening: Promise<Store>
  readonly encryption?: ServerEncryption
  readonly certificates: ClusterCertificates
  readonly serverOptions: ServerOptions
}

/** Starts to open the store, and creates or reads the certificates meanwhile. */
export async function openFoundation(setup: ClusterSetup): Promise<ClusterFoundation> {
  const { config, deps, clock, log } = setup
  const encryption = await encryptionOf(setup)
  const opening = deps.origin?.store?.(clock) ?? openStore(deps.server?.storage ?? config, clock, log, encryption)
  const certificates = await closingOnError(opening, () => deps.certificates ?? certificatesOf(setup))
  return { opening, ...(encryption && { encryption }), certificates, serverOptions: deps.server ?? serverOptionsOf(config, certificates) }
}

/** @throws {ConfigError} */
async function encryptionOf({ config, deps, clock, random, log }: ClusterSetup): Promise<ServerEncryption | undefined> {
  const { encryption } = deps.server?.storage ?? config
  if (encryption === undefined) return undefined
  try {
    const { openEncryption } = await holding(clock, 'loading encryption', () => import('./server/open-encryption.ts'))
    return await openEncryption(encryption, { clock, log, random })
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error
    throw new ConfigError(`--encryption-provider-config: ${error.message}`, { cause: error })
  }
}

function certificatesOf({ config, deps, simulates, clock }: ClusterSetup): ClusterCertificates {
  const keys = deps.origin?.keys
  return openCertificates(
    {
      folder: config.dataDir === undefined ? undefined : path.join(config.dataDir, 'certificates'),
      serviceCidr: config.serviceCidr,
      hosts: [...(simulates ? [API_SERVER_ADDRESS] : []), ...config.certificateNames],
      ...(keys && { keys }),
    },
    { clock },
  )
}

/** Works while the store is being opened; when the work fails, the store is closed. */
async function closingOnError<T>(opening: Promise<AsyncDisposable>, work: () => T): Promise<T> {
  try {
    return work()
  } catch (error) {
    await opening.then(
      (store) => store[Symbol.asyncDispose](),
      () => {},
    )
    throw error
  }
}
