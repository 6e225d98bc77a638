import { NODES, PODS } from '../../resources/refs.ts'
import { definePeriodicController } from '../frame/periodic-controller.ts'
import { collectPods } from './collect.ts'
import { PodsInQuestion } from './pods-in-question.ts'

/** As upstream. */
const PERIOD_MS = 20_000

/** Deletes pods that no kubelet will. */
export const createController = definePeriodicController({
  name: 'pod-gc',
  periodMs: PERIOD_MS,
  deps({ client, clock, informers, log }) {
    const pods = informers.of(PODS)
    const question = new PodsInQuestion()
    pods.addHandler({ added: (pod) => question.saw(pod), updated: (pod) => question.saw(pod), deleted: (pod) => question.gone(pod) })
    return { client, clock, log, pods, nodes: informers.of(NODES), question, missingSinceMs: new Map<string, number>() }
  },
  round: collectPods,
})
