import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { EtcdOptions } from '../../server/options/storage.ts'
import { OptionsError } from '../../server/options-error.ts'
import { dialStore } from '../../storage/remote/dial.ts'
import { openRemoteStore } from '../../storage/remote/remote-store.ts'
import { type Store, StoreError } from '../../storage/store.ts'
import { etcdMembers } from './etcd-members.ts'

/** How long to wait for etcd, as kube-apiserver does. */
const PATIENCE_MS = 20_000
const RETRY_MS = 50

/** The store in the etcd of `bowsprit assets`. @throws {OptionsError} with kube-apiserver's message if it cannot be reached */
export async function openAssetsStore(
  options: EtcdOptions,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<Store> {
  const { urls, tls } = etcdMembers(options)
  let turn = 0
  const dial = () => {
    const url = urls[turn++ % urls.length]
    if (url === undefined) throw new OptionsError('bad-option', '--etcd-servers must be specified')
    return dialStore({ url, tls })
  }
  try {
    return await openRemoteStore({ patienceMs: PATIENCE_MS, retryMs: RETRY_MS }, { clock, log, dial })
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (error.code === 'permission')
      throw new OptionsError('bad-option', `error creating storage factory: ${error.message}`, { cause: error })
    if (error.code !== 'unavailable') throw error
    const why = error.cause instanceof Error ? ` (${error.cause.message})` : ''
    throw new OptionsError('bad-option', `error creating storage factory: context deadline exceeded${why}`, { cause: error })
  }
}
