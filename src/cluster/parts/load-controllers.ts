import { holding } from '../../base/clock.ts'
import { electedPart } from '../leader-part.ts'
import type { RunPart } from '../supervisor.ts'
import { CONTROLLER_MANAGER, controllerUser } from '../users.ts'
import type { PartDeps } from './part-deps.ts'

/** kube-controller-manager's controllers. */
export async function loadControllers({ setup, certificates, access, informers, podRanges }: PartDeps): Promise<RunPart> {
  const { config, clock, random, log } = setup
  const { createControllers } = await holding(clock, 'loading the controllers', () => import('../../controllers/all/controller-set.ts'))
  const { ca } = certificates
  const client = access.client(CONTROLLER_MANAGER)
  const controllerConfig = {
    ca: ca.certificate,
    caKey: ca.key,
    defaultStorageClass: config.storageClass,
    clusterTrustBundles: config.clusterTrustBundles,
    nodeRanges: (await podRanges())?.others,
  }
  const clientOf = (name: string) => access.client(controllerUser(name))
  return electedPart('kube-controller-manager', config, { client, clock, random, log }, (signal) =>
    createControllers(controllerConfig, { client, clientOf, informers, clock, random, log }).run(signal),
  )
}
