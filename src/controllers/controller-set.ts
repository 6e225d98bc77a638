import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Client } from '../sdk/client/client.ts'
import { createCoreRecorder } from '../sdk/controller/core-recorder.ts'
import { createCatalogue } from './catalogue.ts'
import type { Controller, ControllerDeps } from './controller.ts'
import { createGarbageCollector } from './garbage/controller.ts'
import { InformerSet } from './informer-set.ts'
import { createNamespaceController } from './namespace/controller.ts'
import { createNodeLifecycleController } from './node-lifecycle/controller.ts'
import { createPodGcController } from './pod-gc/controller.ts'
import { createRootCaController } from './root-ca/controller.ts'
import { createServiceAccountController } from './service-account/controller.ts'

export interface ControllerSetConfig {
  /** The cluster's CA, PEM. */
  readonly ca: string
}

export interface ControllerSetDeps {
  readonly client: Client
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

/** All controllers of the cluster, over one set of informers. */
export function createControllers(config: ControllerSetConfig, deps: ControllerSetDeps): { run(signal: AbortSignal): Promise<void> } {
  const informers = new InformerSet(deps)
  const events = createCoreRecorder({ client: deps.client, clock: deps.clock, component: 'node-controller', log: deps.log })
  const shared: ControllerDeps = { ...deps, informers, events }
  const catalogue = createCatalogue(informers)
  const controllers: readonly Controller[] = [
    createServiceAccountController(shared),
    createRootCaController(shared, config.ca),
    createNodeLifecycleController(shared),
    createNamespaceController(shared, catalogue),
    createPodGcController(shared),
    createGarbageCollector(shared, catalogue),
  ]
  return {
    async run(signal) {
      await Promise.all([informers.run(signal), events.run(signal), ...controllers.map((c) => c.run(signal))])
    },
  }
}
