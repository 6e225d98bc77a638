import { ruleTables } from '../rule-table.contract.ts'
import { serviceCidrs } from './servicecidrs.ts'

ruleTables(serviceCidrs, {
  object: `
metadata: {name: a}
spec: {cidrs: [10.0.0.0/24]}
`,
  create: [
    ['spec.cidrs = []', 'spec.cidrs: Required value: at least one CIDR required'],
    ['-spec', 'spec.cidrs: Required value: at least one CIDR required'],
    ['spec.cidrs = [10.0.0.0/24, "fd00::/64"]'],
    [
      'spec.cidrs = [10.0.0.0/24, 10.1.0.0/24]',
      'spec.cidrs: Invalid value: ["10.0.0.0/24","10.1.0.0/24"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ],
    [
      'spec.cidrs = ["fd00::/64", "fd01::/64"]',
      'spec.cidrs: Invalid value: ["fd00::/64","fd01::/64"]: may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    ],
    [
      'spec.cidrs = [10.0.0.0/24, "fd00::/64", "fd01::/64"]',
      'spec.cidrs: Invalid value: {"CIDRs":["10.0.0.0/24","fd00::/64","fd01::/64"]}: may only hold up to 2 values',
    ],
    ['spec.cidrs = [10.0.0.1/24]', 'spec.cidrs[0]: Invalid value: "10.0.0.1/24": must not have bits set beyond the prefix length'],
    ['spec.cidrs = [x]', 'spec.cidrs[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
    ['spec.cidrs = ["fd00:0::/64"]', 'spec.cidrs[0]: Invalid value: "fd00:0::/64": must be in canonical form ("fd00::/64")'],
    ['status.conditions = [{type: Ready}]', '-status.conditions'],
  ],
  update: [
    ['spec.cidrs = [10.1.0.0/24]', 'spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable'],
    ['spec.cidrs = [10.0.0.0/24, "fd00::/64"]', 'spec.cidrs = ["10.0.0.0/24", "fd00::/64"]'],
    ['spec.cidrs = [10.1.0.0/24, "fd00::/64"]', 'spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable'],
    ['spec.cidrs = [10.0.0.0/24, x]', 'spec.cidrs[1]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
    [
      'spec.cidrs = [10.0.0.0/24, "fd00::/64"] -> spec.cidrs = [10.0.0.0/24]',
      'spec.cidrs: Invalid value: ["10.0.0.0/24"]: field is immutable',
    ],
    [
      'spec.cidrs = [10.0.0.0/24, "fd00::/64"] -> spec.cidrs = [10.0.0.0/24, "fd01::/64"]',
      'spec.cidrs[1]: Invalid value: "fd01::/64": field is immutable',
    ],
    ['spec.cidrs = []', 'spec.cidrs: Invalid value: []: field is immutable'],
    ['metadata.labels.a = b', 'metadata.labels = {a: b}'],
  ],
  status: [
    [
      'status.conditions = [{type: Ready, status: "True", reason: "", message: m, lastTransitionTime: "2026-01-01T00:00:00Z"}]',
      'status.conditions = [{type: Ready, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "", message: m}]',
    ],
    ['metadata.labels.a = b && spec.cidrs = [10.1.0.0/24]'],
  ],
})
