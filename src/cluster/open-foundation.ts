import path from 'node:path'
import type { ServerOptions } from '../server/options/server-options.ts'
import type { Store } from '../storage/store.ts'
import { type ClusterCertificates, openCertificates } from './certificates.ts'
import { API_SERVER_ADDRESS } from './nodes/simulated-addresses.ts'
import type { ClusterSetup } from './read-setup.ts'
import { openStore } from './server/open-store.ts'
import { serverOptionsOf } from './server/server-options.ts'

/** The persistent state of a cluster, and the server options that follow from it. */
export interface ClusterFoundation {
  /** Still being opened. The phase that awaits it owns the store. */
  readonly opening: Promise<Store>
  readonly certificates: ClusterCertificates
  readonly serverOptions: ServerOptions
}

/** Starts to open the store, and creates or reads the certificates meanwhile. */
export async function openFoundation(setup: ClusterSetup): Promise<ClusterFoundation> {
  const { config, deps, clock, log } = setup
  const opening = deps.origin?.store?.(clock) ?? openStore(deps.server?.storage ?? config, clock, log)
  const certificates = await closingOnError(opening, () => deps.certificates ?? certificatesOf(setup))
  return { opening, certificates, serverOptions: deps.server ?? serverOptionsOf(config, certificates) }
}

function certificatesOf({ config, deps, simulates, clock }: ClusterSetup): ClusterCertificates {
  const keys = deps.origin?.keys
  return openCertificates(
    {
      folder: config.dataDir === undefined ? undefined : path.join(config.dataDir, 'certificates'),
      serviceCidr: config.serviceCidr,
      hosts: simulates ? [API_SERVER_ADDRESS] : [],
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
