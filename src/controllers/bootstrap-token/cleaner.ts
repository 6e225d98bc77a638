import { ignoring } from '../../machinery/ignoring.ts'
import { SECRETS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { deleteObject } from '../frame/objects.ts'
import { expiresAtMs, isBootstrapToken } from './token.ts'

/** Deletes bootstrap tokens that have expired. */
export const createController = defineController({
  name: 'token-cleaner',
  for: SECRETS,
  deps: ({ client, clock }) => ({ client, clock }),
  when: isBootstrapToken,
  async reconcile({ client, clock }, secret) {
    const expiresMs = expiresAtMs(secret)
    if (expiresMs === undefined || secret.metadata.deletionTimestamp !== undefined) return undefined
    const requeueAfterMs = expiresMs - clock.now()
    if (requeueAfterMs > 0) return { requeueAfterMs }
    await deleteObject(client, SECRETS, secret).catch(ignoring('NotFound', 'Conflict'))
    return undefined
  },
})
