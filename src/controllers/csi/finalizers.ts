import type { KubeObject } from '../../machinery/object.ts'

type Named = Pick<KubeObject, 'metadata'>

/** A merge patch of the whole list: it holds for the version of the object that was read. */
const finalizersPatch = ({ metadata: { resourceVersion = '' } }: Named, finalizers: string[]) => ({
  metadata: { resourceVersion, finalizers },
})

export const withFinalizer = (object: Named, finalizer: string) =>
  finalizersPatch(object, [...new Set([...(object.metadata.finalizers ?? []), finalizer])])

export const withoutFinalizer = (object: Named, finalizer: string) =>
  finalizersPatch(
    object,
    (object.metadata.finalizers ?? []).filter((f) => f !== finalizer),
  )
