import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { Later } from '../../base/steps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import { Measurement } from '../../metrics-server/measure.ts'
import { ScriptError } from '../../metrics-server/script.ts'
import type { Find } from '../../metrics-server/scripted-object.ts'
import { readObject } from '../../resources/read-objects.ts'
import { PODS } from '../../resources/refs.ts'

const MEMORY = simulatedKey('memory')

export interface PodName {
  readonly namespace: string
  readonly name: string
}

/** What a running container uses at one moment. */
export interface ContainerFigures {
  readonly name: string
  readonly nanoCores: number
  readonly memoryBytes: number
}

/** What pods of simulated nodes use, as the metrics APIs show it: nodes evict by the figures that `kubectl top` prints. */
export interface PodFigures {
  /** The figures of this moment, for each of these pods. */
  now(pods: readonly PodName[]): Later<readonly (readonly ContainerFigures[])[]>
  /** Whether a workload sets how much memory its pods use. */
  readonly described: boolean
  /** Calls back whenever a workload changes its memory usage. */
  watch(notify: () => void): void
}

export interface PodFiguresDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly find: Find
  readonly simulated: (nodeName: string) => boolean
}

/** The figures, and what has to be called with each change of a workload. */
export function podFigures({ clock, log, find, simulated }: PodFiguresDeps): PodFigures & { seen(workload: KubeObject | undefined): void } {
  const tellers: (() => void)[] = []
  const described = new Map<string, string>()
  const figuresOf = (measurement: Measurement, { namespace, name }: PodName): readonly ContainerFigures[] => {
    const pod = readObject(find.reader, PODS, namespace, name)
    if (pod === undefined) return []
    try {
      return measurement
        .usage(pod)
        .map((c) => ({ name: c.name, nanoCores: Number(c.cpu.scaledValue(-9)), memoryBytes: Number(c.memory.scaledValue(0)) }))
    } catch (error) {
      if (!(error instanceof ScriptError)) throw error
      log.warn('what a pod uses cannot be read', { error })
      return []
    }
  }
  return {
    now(pods) {
      const measurement = new Measurement({ find, nowMs: clock.now(), simulated })
      return pods.map((pod) => figuresOf(measurement, pod))
    },
    get described() {
      return described.size > 0
    },
    watch: (notify) => void tellers.push(notify),
    seen(workload) {
      if (workload === undefined) return
      const { uid = '', annotations } = workload.metadata
      const text = memoryText(annotations)
      if (text === '' ? !described.delete(uid) : described.get(uid) === text) return
      if (text !== '') described.set(uid, text)
      for (const notify of tellers) notify()
    },
  }
}

function memoryText(annotations: Readonly<Record<string, string>> | undefined): string {
  let text = ''
  for (const key in annotations) if (key === MEMORY || key.startsWith(`${MEMORY}.`)) text += `${key}=${annotations[key]} `
  return text
}
