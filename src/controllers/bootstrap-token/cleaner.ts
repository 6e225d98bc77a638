import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { SECRETS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import { objectKey } from '../../sdk/informer/object-key.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { expiresAtMs, isBootstrapToken } from './token.ts'

/** Deletes bootstrap tokens when their time is over. */
export function createTokenCleaner({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const secrets = informers.of(SECRETS)
  const seen = (secret: KubeObject) => {
    if (isBootstrapToken(secret)) queue.add(objectKey(secret))
  }
  secrets.addHandler({ added: seen, updated: seen })

  async function reconcile(key: string): Promise<{ requeueAfterMs: number } | undefined> {
    const secret = secrets.get(key)
    const at = secret && expiresAtMs(secret)
    if (secret === undefined || at === undefined || secret.metadata.deletionTimestamp !== undefined) return undefined
    const leftMs = at - clock.now()
    if (leftMs > 0) return { requeueAfterMs: leftMs }
    const { namespace = '', name = '', uid } = secret.metadata
    await client.delete({ ...SECRETS, namespace, name }, uid === undefined ? {} : { preconditions: { uid } }).catch((error) => {
      if (!isStatus(error, 'NotFound', 'Conflict')) throw error
    })
    return undefined
  }

  return queueController({ name: 'token-cleaner', queue, copies: [secrets], reconcile, log })
}
