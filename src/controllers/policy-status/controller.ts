import { CUSTOM_RESOURCE_DEFINITIONS, VALIDATING_ADMISSION_POLICIES } from '../../resources/refs.ts'
import { defineController } from '../frame/define-controller.ts'
import { writeStatus } from '../frame/write-status.ts'
import { planStatus } from './plan.ts'
import { policyTypes } from './types.ts'

/** Checks the expressions of validating policies against the types that they match, and reports warnings in the status. */
export const createController = defineController({
  name: 'policy-status',
  for: VALIDATING_ADMISSION_POLICIES,
  deps({ client, informers }) {
    const definitions = informers.of(CUSTOM_RESOURCE_DEFINITIONS)
    return { client, types: policyTypes(() => definitions.list()) }
  },
  async reconcile({ client, types }, policy) {
    const status = planStatus(policy, types)
    if (status !== undefined) await writeStatus(client, VALIDATING_ADMISSION_POLICIES, policy, status)
  },
})
