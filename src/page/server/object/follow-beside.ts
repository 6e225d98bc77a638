import type { KubeObject } from '../../../machinery/object.ts'
import { type ReflectOptions, reflectPages } from '../rows/reflect-pages.ts'

/** Follows objects that are shown beside another one, until the signal is aborted: who may not read them sees that one without them. */
export function followBeside(
  options: Omit<ReflectOptions, 'labelSelector'>,
  take: (object: Readonly<KubeObject>) => void,
  signal: AbortSignal,
): void {
  const sink = {
    put: (objects: readonly Readonly<KubeObject>[]) => objects.forEach(take),
    listed: () => {},
    apply: ({ type, object }: { readonly type: string; readonly object: Readonly<KubeObject> }) => {
      if (type === 'ADDED' || type === 'MODIFIED') take(object)
    },
    problem: () => {},
  }
  void reflectPages({ ...options, labelSelector: '' }, sink, signal)
}
