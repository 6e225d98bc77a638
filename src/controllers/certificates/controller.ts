import { CERTIFICATE_SIGNING_REQUESTS } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { reconcileRequest } from './reconcile.ts'

/** Approves what kubelets may request, signs approved requests, and deletes old ones. */
export const createController = defineController({
  name: 'certificate-controller',
  for: CERTIFICATE_SIGNING_REQUESTS,
  deps: ({ client, clock, authority }) => ({ client, clock, authority }),
  reconcile: reconcileRequest,
})
