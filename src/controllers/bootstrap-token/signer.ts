import { ignoring } from '../../machinery/ignoring.ts'
import { CONFIG_MAPS, SECRETS } from '../../resources/refs.ts'
import type { Secret } from '../../resources/types/core.ts'
import { defineController } from '../frame/define-controller.ts'
import { updateObject } from '../frame/objects.ts'
import { signedData } from './sign.ts'
import { isBootstrapToken } from './token.ts'

/** Signs `kube-public/cluster-info` with the bootstrap tokens: a joining node checks by its token that it talks to the right cluster. */
export const createController = defineController({
  name: 'bootstrap-signer',
  for: CONFIG_MAPS,
  deps: ({ client, clock, informers }) => ({ client, clock, secrets: informers.of(SECRETS) }),
  when: ({ metadata: { namespace, name } }) => namespace === 'kube-public' && name === 'cluster-info',
  watch({ secrets }, keys) {
    const changed = (secret: Secret) => {
      if (isBootstrapToken(secret)) keys.add('kube-public/cluster-info')
    }
    secrets.addHandler({ added: changed, updated: changed, deleted: changed })
  },
  async reconcile({ client, clock, secrets }, clusterInfo) {
    const data = signedData(clusterInfo, secrets.list('kube-system'), clock.now())
    if (data === undefined) return
    // After a conflict the event of the other write leads here again.
    await updateObject(client, CONFIG_MAPS, { ...clusterInfo, data }).catch(ignoring('NotFound', 'Conflict'))
  },
})
