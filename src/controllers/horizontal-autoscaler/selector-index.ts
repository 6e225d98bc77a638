import type { KubeObject } from '../../machinery/object.ts'
import type { CompiledLabelSelector } from '../../machinery/selectors/label-selector.ts'

interface Entry {
  readonly selector: CompiledLabelSelector
  readonly buckets: readonly string[]
}

/** Finds the autoscalers whose selectors match a pod, without trying each: most selectors require a value of some label. */
export class SelectorIndex {
  readonly #entries = new Map<string, Entry>()
  readonly #buckets = new Map<string, Set<string>>()

  /** Sets the selector of this autoscaler in its namespace, in place of its previous one. */
  set(key: string, namespace: string, selector: CompiledLabelSelector): void {
    this.delete(key)
    const buckets = bucketsOf(namespace, selector)
    this.#entries.set(key, { selector, buckets })
    for (const bucket of buckets) {
      const keys = this.#buckets.get(bucket)
      if (keys === undefined) this.#buckets.set(bucket, new Set([key]))
      else keys.add(key)
    }
  }

  delete(key: string): void {
    for (const bucket of this.#entries.get(key)?.buckets ?? []) {
      const keys = this.#buckets.get(bucket)
      keys?.delete(key)
      if (keys?.size === 0) this.#buckets.delete(bucket)
    }
    this.#entries.delete(key)
  }

  /** The keys of the autoscalers that select a pod, in no order. */
  matching({ metadata: { namespace = '', labels } }: KubeObject): readonly string[] {
    const found: string[] = []
    const look = (bucket: string) => {
      for (const key of this.#buckets.get(bucket) ?? []) if (this.#entries.get(key)?.selector.matches(labels)) found.push(key)
    }
    look(namespace)
    for (const [label, value] of Object.entries(labels ?? {})) look(bucketOf(namespace, label, value))
    return found
  }
}

/** Names of namespaces hold no slash. */
const bucketOf = (namespace: string, label: string, value: string) => `${namespace}/${label}=${value}`

/** Each pod that a selector matches leads to exactly one of its buckets. */
function bucketsOf(namespace: string, { requirements }: CompiledLabelSelector): readonly string[] {
  const exact = requirements.find(({ operator }) => operator === 'in' || operator === '=' || operator === '==')
  return exact === undefined ? [namespace] : [...new Set(exact.values)].map((value) => bucketOf(namespace, exact.key, value))
}
