import type { AdmissionPlugin } from '../../apiserver/admission/plugin.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { CLASS_ANNOTATION } from '../../resources/core/claim-annotations.ts'
import { listObjects } from '../../resources/read-objects.ts'
import { INGRESS_CLASSES, INGRESSES, PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '../../resources/refs.ts'
import type { PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { Ingress } from '../../resources/types/networking.ts'
import type { AdmissionDeps } from './admission-deps.ts'
import { isAbout } from './requests-about.ts'

const STORAGE_DEFAULTS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']
const INGRESS_DEFAULTS = ['ingressclass.kubernetes.io/is-default-class']

/** The name of the newest default class; of equally old ones the first by name. */
function newestDefault(classes: readonly KubeObject[], annotations: readonly string[]): string | undefined {
  const age = (c: KubeObject) => Date.parse(c.metadata.creationTimestamp ?? '') || 0
  const name = (c: KubeObject) => c.metadata.name ?? ''
  return classes
    .filter((c) => annotations.some((a) => c.metadata.annotations?.[a] === 'true'))
    .reduce<KubeObject | undefined>((best, c) => {
      if (best === undefined || age(c) > age(best)) return c
      return age(c) === age(best) && name(c) < name(best) ? c : best
    }, undefined)?.metadata.name
}

/** Sets the default storage class of a claim without one. */
export function defaultStorageClass({ reader }: AdmissionDeps): AdmissionPlugin<PersistentVolumeClaim> {
  return {
    name: 'DefaultStorageClass',
    handles: (r) => r.operation === 'CREATE' && isAbout(r, PERSISTENT_VOLUME_CLAIMS),
    mutate({ object: claim }) {
      if (claim === undefined || claim.spec?.storageClassName !== undefined || claim.metadata.annotations?.[CLASS_ANNOTATION] !== undefined)
        return
      const chosen = newestDefault(listObjects(reader, STORAGE_CLASSES), STORAGE_DEFAULTS)
      if (chosen !== undefined) claim.spec = { ...claim.spec, storageClassName: chosen }
    },
  }
}

/** Sets the default ingress class of an ingress without one. */
export function defaultIngressClass({ reader }: AdmissionDeps): AdmissionPlugin<Ingress> {
  return {
    name: 'DefaultIngressClass',
    handles: (r) => r.operation === 'CREATE' && isAbout(r, INGRESSES),
    mutate({ object: ingress }) {
      if (
        ingress === undefined ||
        ingress.spec?.ingressClassName !== undefined ||
        ingress.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined
      )
        return
      const chosen = newestDefault(listObjects(reader, INGRESS_CLASSES), INGRESS_DEFAULTS)
      if (chosen !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: chosen }
    },
  }
}
