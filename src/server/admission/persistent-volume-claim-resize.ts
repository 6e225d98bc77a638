import { type AdmissionPlugin, refusal } from '../../apiserver/admission/plugin.ts'
import { tryParseQuantity } from '../../machinery/quantity.ts'
import { classNameOf } from '../../resources/core/claim-annotations.ts'
import { readObject } from '../../resources/read-objects.ts'
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '../../resources/refs.ts'
import type { PersistentVolumeClaim } from '../../resources/types/core.ts'
import type { AdmissionDeps } from './admission-deps.ts'
import { isAbout } from './requests-about.ts'

/** Only a claim of a class with `allowVolumeExpansion` can grow. */
export function persistentVolumeClaimResize({ reader }: AdmissionDeps): AdmissionPlugin<PersistentVolumeClaim> {
  return {
    name: 'PersistentVolumeClaimResize',
    handles: (r) => r.operation === 'UPDATE' && isAbout(r, PERSISTENT_VOLUME_CLAIMS),
    validate(request) {
      const size = (claim: PersistentVolumeClaim | undefined) => tryParseQuantity(claim?.spec?.resources?.requests?.storage ?? '0')
      const requested = size(request.object)
      const had = size(request.oldObject)
      if (requested === undefined || had === undefined || requested.compare(had) <= 0) return
      if (request.oldObject?.status?.phase !== 'Bound') throw refusal(request, 'Only bound persistent volume claims can be expanded')
      const claim = request.object
      const name = claim === undefined ? '' : classNameOf(claim)
      const storageClass = name === '' ? undefined : readObject(reader, STORAGE_CLASSES, '', name)
      if (storageClass?.allowVolumeExpansion === true) return
      throw refusal(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      )
    },
  }
}
