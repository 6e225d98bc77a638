import type { KubeObject } from '../../machinery/object.ts'
import { isStatus } from '../../machinery/status-error.ts'
import { CONFIG_MAPS, SECRETS } from '../../sdk/client/refs.ts'
import { WorkQueue } from '../../sdk/controller/work-queue.ts'
import type { Controller, ControllerDeps } from '../frame/controller.ts'
import { queueController } from '../frame/queue-controller.ts'
import { signedData } from './sign.ts'
import { isBootstrapToken } from './token.ts'

const PLACE = { namespace: 'kube-public', name: 'cluster-info' }
const KEY = `${PLACE.namespace}/${PLACE.name}`

/** Signs `kube-public/cluster-info` with the bootstrap tokens: whoever joins with one of them knows by it that the cluster is the one that gave it the token. */
export function createBootstrapSigner({ client, clock, informers, log }: ControllerDeps): Controller {
  const queue = new WorkQueue({ clock })
  const secrets = informers.of(SECRETS)
  const maps = informers.of(CONFIG_MAPS)
  const ofMap = ({ metadata: { namespace, name } }: KubeObject) => {
    if (namespace === PLACE.namespace && name === PLACE.name) queue.add(KEY)
  }
  const ofSecret = (secret: KubeObject) => {
    if (isBootstrapToken(secret)) queue.add(KEY)
  }
  maps.addHandler({ added: ofMap, updated: ofMap })
  secrets.addHandler({ added: ofSecret, updated: ofSecret, deleted: ofSecret })

  async function reconcile(): Promise<void> {
    const map = maps.get(KEY)
    const data = map && signedData(map, secrets.list('kube-system'), clock.now())
    if (map === undefined || data === undefined) return
    await client.update({ ...CONFIG_MAPS, ...PLACE }, { ...map, data }).catch((error) => {
      // An event of the other's write comes, and with it another turn.
      if (!isStatus(error, 'NotFound', 'Conflict')) throw error
    })
  }

  return queueController({ name: 'bootstrap-signer', queue, copies: [secrets, maps], reconcile, log })
}
