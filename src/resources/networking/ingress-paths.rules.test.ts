import { ruleTables } from '../rule-table.contract.ts'
import { ingresses } from './ingresses.ts'

ruleTables(ingresses, {
  object: `
metadata: {name: i}
spec: {rules: [{host: a.b, http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: s, port: {number: 80}}}}]}}]}
`,
  create: [
    ['-spec.rules', 'spec: Invalid value: null: either `defaultBackend` or `rules` must be specified'],
    ['spec.rules = []', 'spec: Invalid value: []: either `defaultBackend` or `rules` must be specified'],
    ['-spec.rules && spec.defaultBackend = {service: {name: s, port: {number: 80}}}'],
    ['spec.defaultBackend = {}', 'spec.defaultBackend: Invalid value: "": resource or service backend is required'],
    ['spec.defaultBackend = {service: {name: s, port: {}}}', 'spec.defaultBackend: Required value: port name or number is required'],
    ['spec.rules[0].host = 10.0.0.1', 'spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
    [
      'spec.rules[0].host = A',
      `spec.rules[0].host: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case al…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.rules[0].host = "*.a.b"'],
    [
      'spec.rules[0].host = "a.*.b"',
      `spec.rules[0].host: Invalid value: "a.*.b": a wildcard DNS-1123 subdomain must start with '*.', foll…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'spec.rules[0].host = "*"',
      `spec.rules[0].host: Invalid value: "*": a wildcard DNS-1123 subdomain must start with '*.', followed…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['-spec.rules[0].host'],
    ['-spec.rules[0].http'],
    ['spec.rules[0].http.paths = []', 'spec.rules[0].http.paths: Required value'],
    ['-spec.rules[0].http.paths[0].pathType', 'spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
    [
      'spec.rules[0].http.paths[0].pathType = Odd',
      'spec.rules[0].http.paths[0].pathType: Unsupported value: "Odd": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
    ['spec.rules[0].http.paths[0].path = a', 'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path'],
    ['spec.rules[0].http.paths[0].path = ""', 'spec.rules[0].http.paths[0].path: Invalid value: "": must be an absolute path'],
    ['spec.rules[0].http.paths[0].path = "/a//b"', `spec.rules[0].http.paths[0].path: Invalid value: "/a//b": must not contain '//'`],
    ['spec.rules[0].http.paths[0].path = "/a/./b"', `spec.rules[0].http.paths[0].path: Invalid value: "/a/./b": must not contain '/./'`],
    ['spec.rules[0].http.paths[0].path = "/a/../b"', `spec.rules[0].http.paths[0].path: Invalid value: "/a/../b": must not contain '/../'`],
    ['spec.rules[0].http.paths[0].path = "/a%2fb"', `spec.rules[0].http.paths[0].path: Invalid value: "/a%2fb": must not contain '%2f'`],
    ['spec.rules[0].http.paths[0].path = "/a%2Fb"', `spec.rules[0].http.paths[0].path: Invalid value: "/a%2Fb": must not contain '%2F'`],
    ['spec.rules[0].http.paths[0].path = "/a/.."', `spec.rules[0].http.paths[0].path: Invalid value: "/a/..": cannot end with '/..'`],
    ['spec.rules[0].http.paths[0].path = "/a/."', `spec.rules[0].http.paths[0].path: Invalid value: "/a/.": cannot end with '/.'`],
    ['spec.rules[0].http.paths[0].path = "/a."'],
    ['spec.rules[0].http.paths[0].path = "/a..b"'],
    ['spec.rules[0].http.paths[0].pathType = ImplementationSpecific'],
    [
      'spec.rules[0].http.paths[0].pathType = ImplementationSpecific && spec.rules[0].http.paths[0].path = a',
      'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path',
    ],
    ['spec.rules[0].http.paths[0].pathType = ImplementationSpecific && spec.rules[0].http.paths[0].path = /a//b'],
    [
      'spec.rules[0].http.paths[0].pathType = ImplementationSpecific && spec.rules[0].http.paths[0].path = ""',
      '-spec.rules[0].http.paths[0].path',
    ],
    ['spec.rules[0].http.paths[0].pathType = Exact'],
    [
      'spec.rules[0].http.paths[0].backend = {}',
      'spec.rules[0].http.paths[0].backend: Invalid value: "": resource or service backend is required',
    ],
    [
      'spec.rules[0].http.paths[0].backend.resource = {kind: K, name: r}',
      'spec.rules[0].http.paths[0].backend: Invalid value: "": cannot set both resource and service backends',
    ],
    [
      'spec.rules[0].http.paths[0].backend = {resource: {kind: K, name: r}}',
      'spec.rules[0].http.paths[0].backend.resource.apiGroup = null',
    ],
    [
      'spec.rules[0].http.paths[0].backend = {resource: {apiGroup: A, kind: "", name: ""}}',
      `spec.rules[0].http.paths[0].backend.resource.apiGroup: Invalid value: "A": a lowercase RFC 1123 subd…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      'spec.rules[0].http.paths[0].backend.resource.kind: Required value',
      'spec.rules[0].http.paths[0].backend.resource.name: Required value',
    ],
    [
      'spec.rules[0].http.paths[0].backend = {resource: {apiGroup: a.b, kind: K/x, name: ..}}',
      `spec.rules[0].http.paths[0].backend.resource.kind: Invalid value: "K/x": may not contain '/'`,
      `spec.rules[0].http.paths[0].backend.resource.name: Invalid value: "..": may not be '..'`,
    ],
    ['spec.rules[0].http.paths[0].backend.service.name = ""', 'spec.rules[0].http.paths[0].backend.service.name: Required value'],
    [
      'spec.rules[0].http.paths[0].backend.service.name = A',
      `spec.rules[0].http.paths[0].backend.service.name: Invalid value: "A": a lowercase RFC 1123 label mus…egex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
    ],
    [
      'spec.rules[0].http.paths[0].backend.service.port = {}',
      'spec.rules[0].http.paths[0].backend: Required value: port name or number is required',
    ],
    ['spec.rules[0].http.paths[0].backend.service.port = {name: http}'],
    [
      'spec.rules[0].http.paths[0].backend.service.port = {name: A_}',
      'spec.rules[0].http.paths[0].backend.service.port.name: Invalid value: "A_": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
      'spec.rules[0].http.paths[0].backend.service.port.name: Invalid value: "A_": must contain at least one letter (a-z)',
    ],
    [
      'spec.rules[0].http.paths[0].backend.service.port = {name: http, number: 80}',
      'spec.rules[0].http.paths[0].backend: Invalid value: "": cannot set both port name & port number',
    ],
    [
      'spec.rules[0].http.paths[0].backend.service.port = {number: 65536}',
      'spec.rules[0].http.paths[0].backend.service.port.number: Invalid value: 65536: must be between 1 and 65535, inclusive',
    ],
    ['spec.rules[0].http.paths[0].backend.service.port = {number: 65535}'],
    ['spec.tls = [{hosts: [a.b], secretName: s}]'],
    [
      'spec.tls = [{hosts: [A, "*.a.b"], secretName: S}]',
      `spec.tls[0].hosts[0]: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case …-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      `spec.tls[0].secretName: Invalid value: "S": a lowercase RFC 1123 subdomain must consist of lower cas…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    ['spec.ingressClassName = c'],
    [
      'spec.ingressClassName = C',
      `spec.ingressClassName: Invalid value: "C": a lowercase RFC 1123 subdomain must consist of lower case…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'metadata.annotations[kubernetes.io/ingress.class] = c',
      `warning: annotation "kubernetes.io/ingress.class" is deprecated, please use 'spec.ingressClassName' instead`,
    ],
    ['metadata.annotations[kubernetes.io/ingress.class] = c && spec.ingressClassName = c'],
    [
      'metadata.annotations[kubernetes.io/ingress.class] = c && spec.ingressClassName = d',
      'annotations.kubernetes.io/ingress.class: Invalid value: "c": must match `ingressClassName` when both are specified',
    ],
  ],
  update: [
    ['spec.rules[0].host = c.d', 'spec.rules[0].host = c.d'],
    ['metadata.labels.a = b', 'metadata.labels = {a: b}'],
    ['metadata.annotations[kubernetes.io/ingress.class] = c', 'metadata.annotations = {kubernetes.io/ingress.class: c}'],
  ],
  status: [
    ['status.loadBalancer.ingress = [{ip: 10.0.0.1}]', 'status.loadBalancer.ingress = [{ip: "10.0.0.1"}]'],
    [
      'status.loadBalancer.ingress = [{ip: x, hostname: A}]',
      'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      `status.loadBalancer.ingress[0].hostname: Invalid value: "A": a lowercase RFC 1123 subdomain must con…-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
    ],
    [
      'status.loadBalancer.ingress = [{hostname: 10.0.0.1}]',
      'status.loadBalancer.ingress[0].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
    ],
    [
      'status.loadBalancer.ingress = [{ip: 010.0.0.1}]',
      'status.loadBalancer.ingress[0].ip: Invalid value: "010.0.0.1": must not have leading 0s',
    ],
  ],
})
