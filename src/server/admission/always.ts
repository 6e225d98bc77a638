import { type AdmissionPlugin, refusal } from '../../apiserver/admission/plugin.ts'

/** Admits everything; upstream keeps it for old command lines. */
export const alwaysAdmit: AdmissionPlugin = { name: 'AlwaysAdmit', handles: () => false }

const deny: NonNullable<AdmissionPlugin['validate']> = (request) => {
  throw refusal(request, 'admission control is denying all modifications')
}

/** Refuses every write; off unless it is enabled. */
export const alwaysDeny: AdmissionPlugin = { name: 'AlwaysDeny', handles: () => true, mutate: deny, validate: deny }
