import { together } from '../frame/define-controller.ts'
import { createPodClaimsController } from './pod-claims.ts'
import { createReleaseController } from './release.ts'

/** Creates the claims of pods from templates, and frees the devices of claims that are not used any more. */
export const createController = together('resource-claim-controller', createPodClaimsController, createReleaseController)
