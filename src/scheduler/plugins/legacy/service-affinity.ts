import type { Plugin } from '../../framework/plugin.ts'
import { unschedulable } from '../../framework/verdict.ts'
import { countPods, serviceSelector } from './service-pods.ts'

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

/**
 * `serviceAffinity`: pods of a service go to nodes with equal values of some labels; the first pod, or the pod's nodeSelector, determines
 * them.
 */
export function serviceAffinity(name: string, { labels: wanted }: { labels?: unknown }): Plugin {
  const keys = texts(wanted)
  const mismatch = unschedulable(name, "node(s) didn't match service affinity")
  return {
    name,
    scope: 'cluster',
    filter(pod, context) {
      const { table, listers } = context
      const values = new Map<string, string>()
      for (const key of keys) {
        const own = pod.pod.spec.nodeSelector?.[key]
        if (own !== undefined) values.set(key, own)
      }
      const selector = values.size < keys.length ? serviceSelector(pod, listers) : undefined
      if (selector !== undefined) {
        const { counts } = countPods(pod.namespace, selector, context)
        const first = counts.findIndex((n, row) => n > 0 && table.alive[row] === 1)
        for (const key of keys) {
          const theirs = table.labels[first]?.[key]
          if (theirs !== undefined && !values.has(key)) values.set(key, theirs)
        }
      }
      if (values.size === 0) return undefined
      const required = [...values]
      return { check: (row) => (required.every(([key, value]) => table.labels[row]?.[key] === value) ? undefined : mismatch) }
    },
  }
}

/** `serviceAntiAffinity`: spreads the pods of a service over the values of a label; nodes without it come last. */
export function serviceAntiAffinity(name: string, { label }: { label?: unknown }): Plugin {
  const key = String(label)
  return {
    name,
    scope: 'cluster',
    score(pod, context) {
      const { table, listers } = context
      const selector = serviceSelector(pod, listers)
      const counts = selector === undefined ? undefined : countPods(pod.namespace, selector, context).counts
      const column = table.topology(key)
      const byValue = new Map<number, number>()
      let total = 0
      for (let row = 0; row < table.rows; row++) {
        const [count, value] = [counts?.[row] ?? 0, column.ids[row] ?? -1]
        total += count
        byValue.set(value, (byValue.get(value) ?? 0) + count)
      }
      return {
        of(row) {
          const value = column.ids[row] ?? -1
          if (value < 0) return 0
          return total === 0 ? 100 : Math.trunc((100 * (total - (byValue.get(value) ?? 0))) / total)
        },
      }
    },
  }
}
