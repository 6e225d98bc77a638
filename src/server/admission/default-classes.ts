import { type AdmissionPlugin, isAbout } from '../../apiserver/admission/plugin.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { CLASS_ANNOTATION } from '../../resources/core/claim-annotations.ts'
import type { AdmissionDeps } from './admission-deps.ts'

const STORAGE_DEFAULTS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class']
const INGRESS_DEFAULTS = ['ingressclass.kubernetes.io/is-default-class']

/** Of the classes that are marked as default, the newest; of equally old ones the first by name. */
function newestDefault(classes: readonly KubeObject[], annotations: readonly string[]): KubeObject | undefined {
  const age = (c: KubeObject) => Date.parse(c.metadata.creationTimestamp ?? '') || 0
  const name = (c: KubeObject) => c.metadata.name ?? ''
  return classes
    .filter((c) => annotations.some((a) => c.metadata.annotations?.[a] === 'true'))
    .reduce<KubeObject | undefined>((best, c) => {
      if (best === undefined || age(c) > age(best)) return c
      return age(c) === age(best) && name(c) < name(best) ? c : best
    }, undefined)
}

/** A claim that names no storage class gets the default one. */
export function defaultStorageClass({ reader }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    handles: (r) => r.operation === 'CREATE' && isAbout(r, '', 'persistentvolumeclaims'),
    mutate({ object: claim }) {
      if (claim === undefined || claim.spec?.storageClassName !== undefined || claim.metadata.annotations?.[CLASS_ANNOTATION] !== undefined)
        return
      const chosen = newestDefault(reader.list('storage.k8s.io', 'storageclasses'), STORAGE_DEFAULTS)
      if (chosen !== undefined) claim.spec = { ...claim.spec, storageClassName: chosen.metadata.name }
    },
  }
}

/** An ingress that names no class gets the default one. */
export function defaultIngressClass({ reader }: AdmissionDeps): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    handles: (r) => r.operation === 'CREATE' && isAbout(r, 'networking.k8s.io', 'ingresses'),
    mutate({ object: ingress }) {
      if (
        ingress === undefined ||
        ingress.spec?.ingressClassName !== undefined ||
        ingress.metadata.annotations?.['kubernetes.io/ingress.class'] !== undefined
      )
        return
      const chosen = newestDefault(reader.list('networking.k8s.io', 'ingressclasses'), INGRESS_DEFAULTS)
      if (chosen !== undefined) ingress.spec = { ...ingress.spec, ingressClassName: chosen.metadata.name }
    },
  }
}
