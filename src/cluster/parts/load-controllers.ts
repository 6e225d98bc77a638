import { holding } from '../../base/clock.ts'
import { ControllerMetrics } from '../../controllers/frame/controller-metrics.ts'
import { queueNameOf } from '../../controllers/frame/queue-names.ts'
import { isObject } from '../../machinery/object.ts'
import type { UserInfo } from '../../machinery/resource/user.ts'
import { decodeYaml } from '../../machinery/yaml/yaml.ts'
import { CallCounts } from '../../sdk/client/call-counts.ts'
import { countingClient } from '../../sdk/client/counting-client.ts'
import { ControllerActivities } from '../../sdk/controller/controller-activity.ts'
import { controllerReport } from '../../sdk/controller/controller-report.ts'
import { workQueueFamilies } from '../../sdk/controller/queue-metrics.ts'
import { electedPart, leaderFamilies } from '../leader-part.ts'
import type { RunPart } from '../supervisor.ts'
import { CONTROLLER_MANAGER, controllerUser } from '../users.ts'
import type { PartDeps } from './part-deps.ts'

const NAME = 'kube-controller-manager'

/** kube-controller-manager's controllers. */
export async function loadControllers({ setup, certificates, access, informers, podRanges, reports }: PartDeps): Promise<RunPart> {
  const { config, clock, random, log } = setup
  const { createControllers } = await holding(clock, 'loading the controllers', () => import('../../controllers/all/controller-set.ts'))
  const { ca } = certificates
  const calls = new CallCounts({ component: NAME })
  const clientAs = (user: UserInfo) => (config.trails ? countingClient(access.client(user), calls.count, clock) : access.client(user))
  const client = clientAs(CONTROLLER_MANAGER)
  const controllerConfig = {
    ca: ca.certificate,
    caKey: ca.key,
    defaultStorageClass: config.storageClass,
    clusterTrustBundles: config.clusterTrustBundles,
    nodeRanges: (await podRanges())?.others,
    flexVolumeFolder: flexVolumeFolderOf(config.kubeletConfig),
  }
  const clientOf = (name: string) => clientAs(controllerUser(name))
  return electedPart(NAME, config, { client, clock, random, log }, (signal) => {
    const activities = config.trails ? new ControllerActivities(clock) : undefined
    const metrics = new ControllerMetrics()
    const controllers = createControllers(controllerConfig, { client, clientOf, informers, clock, random, log, activities, metrics })
    if (activities === undefined) return controllers.run(signal)
    reports.controllers = {
      controllers: async () => activities.list().map((one) => controllerReport(one, NAME, clock)),
      metrics: async () => [
        ...workQueueFamilies(activities.list().map(({ name, metrics }) => ({ name: queueNameOf(name), metrics }))),
        ...metrics.families(),
        ...calls.families(),
        ...leaderFamilies(NAME, config),
      ],
    }
    return controllers.run(signal).finally(() => {
      reports.controllers = undefined
    })
  })
}

/** Where the kubelet's configuration has them, for a real node of this machine. */
function flexVolumeFolderOf(kubeletConfig: string | undefined): string | undefined {
  const settings: unknown = kubeletConfig === undefined ? undefined : decodeYaml(kubeletConfig).value
  const folder = isObject(settings) ? settings.volumePluginDir : undefined
  return typeof folder === 'string' && folder !== '' ? folder : undefined
}
