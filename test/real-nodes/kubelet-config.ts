import type { TestMachine } from './machine.ts'

/** A `KubeletConfiguration` for a machine of tests, whose disk may be nearly full. */
export const kubeletConfig = ({ cgroupRoot }: Pick<TestMachine, 'cgroupRoot'>, settings: object = {}) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  cgroupRoot,
  evictionHard: { 'memory.available': '100Mi' },
  imageGCHighThresholdPercent: 100,
  ...settings,
})
