import type { Clock } from '../../base/clock.ts'
import type { Logger } from '../../base/logger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { simulatedKey } from '../../machinery/simulated-annotations.ts'
import { Measurement } from '../../metrics-server/measure.ts'
import { ScriptError } from '../../metrics-server/script.ts'
import type { Find } from '../../metrics-server/scripted-object.ts'
import type { MemoryFigures } from '../nodes/eviction-setup.ts'

const MEMORY = simulatedKey('memory')

export interface MemoryFiguresDeps {
  readonly clock: Clock
  readonly log: Logger
  readonly find: Find
  readonly simulated: (nodeName: string) => boolean
}

/** Memory usage as in the metrics APIs, for the nodes: they evict by the figures that `kubectl top` prints. */
export function memoryFigures(deps: MemoryFiguresDeps): MemoryFigures & { seen(workload: KubeObject | undefined): void } {
  const { clock, log, find, simulated } = deps
  const tellers: (() => void)[] = []
  const said = new Map<string, string>()
  return {
    now() {
      const measurement = new Measurement({ find, nowMs: clock.now(), simulated })
      return (pod) => {
        try {
          return measurement.usage(pod).map(({ name, memory }) => ({ name, bytes: memory.value() }))
        } catch (error) {
          if (!(error instanceof ScriptError)) throw error
          log.warn('what a pod uses cannot be read', { error })
          return []
        }
      }
    },
    get described() {
      return said.size > 0
    },
    watch: (tell) => void tellers.push(tell),
    seen(workload) {
      if (workload === undefined) return
      const { uid = '', annotations } = workload.metadata
      const text = memoryText(annotations)
      if (text === '' ? !said.delete(uid) : said.get(uid) === text) return
      if (text !== '') said.set(uid, text)
      for (const tell of tellers) tell()
    },
  }
}

function memoryText(annotations: Readonly<Record<string, string>> | undefined): string {
  let text = ''
  for (const key in annotations) if (key === MEMORY || key.startsWith(`${MEMORY}.`)) text += `${key}=${annotations[key]} `
  return text
}
