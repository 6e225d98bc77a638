import type { Clock } from '../../../src/base/clock.ts'
import type { JsonObject } from '../../../src/machinery/object.ts'
import { Quantity } from '../../../src/machinery/quantity.ts'
import { completeKubeletConfiguration } from '../../../src/node/configuration/kubelet-configuration.ts'
import { createDescribedUsage } from '../../../src/node/eviction/described-usage.ts'
import { EvictionManager } from '../../../src/node/eviction/eviction-manager.ts'
import type { Signal } from '../../../src/node/eviction/thresholds.ts'
import type { Observation, UsageSource } from '../../../src/node/eviction/usage.ts'
import type { Pod } from '../../../src/node/types/pod.ts'
import type { Step, Story } from './story.ts'

/** The disk usage on the machine of a story: by containers' writable layers (`POD/fs`), and in volumes of the story's pod. */
export interface Written {
  usage: Readonly<Record<string, number>>
  readonly volumes: Map<string, number>
}

/** The kubelet's configurations: the initial one, and those of its restarts, by second. */
export function configurationsOf(story: Story): {
  readonly first: JsonObject
  readonly restarts: readonly (readonly [number, JsonObject])[]
} {
  const noted = /started again at (\d+) with evictionHard (\S+) (\S+) .*, at (\d+) without/.exec(story.note ?? '')
  if (noted !== null) {
    const [, from = '', signal = '', amount = '', to = ''] = noted
    const short = { evictionHard: { [signal]: amount }, evictionPressureTransitionPeriod: '5s' }
    const { evictionHard: _, ...without } = short
    return {
      first: {},
      restarts: [
        [Number(from), short],
        [Number(to), without],
      ],
    }
  }
  const written = Object.entries(story.kubeletConfiguration ?? {})
  const later = written.flatMap(([key, value]) => {
    const at = /^at (\d+)$/.exec(key)?.[1]
    return at === undefined ? [] : [[Number(at), value as JsonObject] as const]
  })
  return { first: Object.fromEntries(written.filter(([key]) => !key.startsWith('at '))), restarts: later }
}

/** The restarts as steps. */
export const restartSteps = (story: Story): readonly Step[] =>
  configurationsOf(story).restarts.flatMap(([at, set]) => [
    { at, do: 'kubelet stops' },
    { at, do: 'kubelet starts', set },
  ])

/** The available resources on the machine of the recording. */
const LEFT: Partial<Readonly<Record<Signal, Observation>>> = {
  'nodefs.available': { capacity: Quantity.of(200 * 2 ** 30, 'BinarySI'), available: Quantity.of(12 * 10 ** 9, 'BinarySI') },
  'memory.available': { capacity: Quantity.of(32 * 2 ** 30, 'BinarySI'), available: Quantity.of(28 * 2 ** 30, 'BinarySI') },
}

/** Eviction with the configuration of the story's kubelet, whose default thresholds do not matter. */
export function storyEviction(config: JsonObject, written: Written, clock: Clock): EvictionManager {
  const { eviction } = completeKubeletConfiguration({ evictionHard: {}, ...config })
  const running = (pod: Pod) => (pod.status.containerStatuses ?? []).filter((c) => c.state?.running)
  const usage = createDescribedUsage({
    memory: () => (pod) => running(pod).map(({ name }) => ({ name, bytes: 0 })),
    files(pod) {
      const bytes = written.usage[`${pod.metadata.name}/fs`] ?? 0
      return { layers: new Map(running(pod).map(({ name }) => [name, bytes])), volumes: written.volumes }
    },
    separateImages: true,
    always: true,
  })
  const measured: UsageSource = {
    ...usage,
    async read(node, pods) {
      const { observations, of } = await usage.read(node, pods)
      return { of, observations: new Map([...observations].map(([signal, seen]) => [signal, LEFT[signal] ?? seen])) }
    },
  }
  return new EvictionManager(eviction, { clock, usage: measured })
}

/** A story with the pod that another story's steps created. */
export function withPod(story: Story, siblings: readonly Story[]): Story {
  const made = /^made at (\d+)/.exec(story.note ?? '')?.[1]
  if (story.pod || made === undefined) return story
  const named = (step: Step) => (step.object?.metadata as JsonObject | undefined)?.name === story.story
  const step = siblings.flatMap((s) => s.steps).find((s) => s.do === 'create' && named(s))
  const resources = story.story.endsWith('burstable') ? { resources: { requests: { cpu: '10m', memory: '16Mi' } } } : {}
  const pod = (step?.object ?? {
    spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'app', ...resources }], terminationGracePeriodSeconds: 5 },
  }) as NonNullable<Story['pod']>
  const metadata = { ...pod.metadata, name: story.story }
  return { ...story, pod: { metadata, spec: pod.spec }, steps: [{ at: Number(made), do: 'create the pod' }], seconds: 80 }
}
