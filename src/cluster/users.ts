import { SYSTEM_MASTERS, type UserInfo } from '../machinery/resource/user.ts'

const component = (name: string, ...groups: string[]): UserInfo => ({ name, groups: [...groups, 'system:authenticated'] })

export const ADMIN: UserInfo = { ...component('admin', SYSTEM_MASTERS), uid: 'admin-uid' }
export const CONTROLLER_MANAGER: UserInfo = {
  ...component('system:kube-controller-manager', SYSTEM_MASTERS),
  program: 'kube-controller-manager',
}
export const SCHEDULER: UserInfo = { ...component('system:kube-scheduler'), program: 'kube-scheduler' }
export const SIMULATED_METRICS = component('system:simulated-metrics', SYSTEM_MASTERS)

export const SERVICE_ADDRESSES = component('system:service-addresses', SYSTEM_MASTERS)

/** A controller's service account: its rights are those of Kubernetes' bootstrap roles. */
export const controllerUser = (name: string): UserInfo => ({
  ...component(`system:serviceaccount:kube-system:${name}`, 'system:serviceaccounts', 'system:serviceaccounts:kube-system'),
  program: 'kube-controller-manager',
})

export const nodeUser = (name: string): UserInfo => ({ ...component(`system:node:${name}`, 'system:nodes'), program: 'kubelet' })
