import { ruleTables } from '../rule-table.contract.ts'
import { volumeAttachments } from './volumeattachments.ts'

ruleTables(volumeAttachments, {
  object: `
metadata: {name: default}
spec: {attacher: csi.example.com, nodeName: n1, source: {persistentVolumeName: pv}}
`,
  filled: ['status = {attached: false}'],
  create: [
    ['-spec.attacher', 'spec.attacher: Required value'],
    [
      '-spec.nodeName',
      `spec.nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alph…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.attacher = "Bad_Name!"',
      `spec.attacher: Invalid value: "Bad_Name!": a lowercase RFC 1123 subdomain must consist of lower …-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.nodeName = a × 300',
      'spec.nodeName: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      'spec.attacher = a × 300',
      'spec.attacher: Too long: may not be more than 63 bytes',
      'spec.attacher: Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… no more than 253 characters',
    ],
    [
      '-spec.attacher && -spec.nodeName && -spec.source',
      'spec.attacher: Required value',
      'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
      `spec.nodeName: Invalid value: "": a lowercase RFC 1123 subdomain must consist of lower case alph…-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
  ],
})
