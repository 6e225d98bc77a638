import { approvalOf, isProtectedGroup } from '../../resources/apiextensions/api-approval.ts'
import {
  type CustomResourceDefinition,
  conditionOf,
  type DefinitionCondition,
  type DefinitionStatus,
  isTrue,
} from '../../resources/apiextensions/types.ts'
import { acceptNames } from './accept-names.ts'

/** The status of a definition in the context of all others. Pure; `now` is a timestamp. */
export function planStatus(crd: CustomResourceDefinition, others: readonly CustomResourceDefinition[], now: string): DefinitionStatus {
  const acceptance = acceptNames(crd, others)
  let conditions = [...(crd.status.conditions ?? [])]
  const set = (condition: Omit<DefinitionCondition, 'lastTransitionTime'>) => {
    const old = conditions.find((c) => c.type === condition.type)
    const lastTransitionTime = old?.status === condition.status ? (old.lastTransitionTime ?? now) : now
    const { reason, message, ...rest } = condition
    const made = {
      ...rest,
      lastTransitionTime,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    } as DefinitionCondition
    conditions = old === undefined ? [...conditions, made] : conditions.map((c) => (c === old ? made : c))
  }
  set({ type: 'NamesAccepted', ...acceptance.accepted })
  if (acceptance.complete) {
    if (!isTrue(crd, 'Established'))
      set({ type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' })
  } else if (conditionOf(crd, 'Established') === undefined) {
    set({ type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' })
  }
  const approval = isProtectedGroup(crd.spec.group) ? approvalCondition(crd) : undefined
  if (approval !== undefined) set(approval)
  return { ...crd.status, conditions, acceptedNames: acceptance.names }
}

const APPROVAL = 'KubernetesAPIApprovalPolicyConformant'

function approvalCondition(crd: CustomResourceDefinition): Omit<DefinitionCondition, 'lastTransitionTime'> {
  const { state, text: message } = approvalOf(crd.metadata.annotations)
  switch (state) {
    case 'approved':
      return { type: APPROVAL, status: 'True', reason: 'ApprovedAnnotation', message }
    case 'bypassed':
      return { type: APPROVAL, status: 'False', reason: 'UnapprovedAnnotation', message }
    case 'invalid':
      return { type: APPROVAL, status: 'False', reason: 'InvalidAnnotation', message }
    case 'missing':
      return { type: APPROVAL, status: 'False', reason: 'MissingAnnotation', message }
  }
}
