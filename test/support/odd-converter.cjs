// What an executor in another language may do: answers in an encoding that the workflow's worker does not know.
const { defaultPayloadConverter } = require('@temporalio/common');

exports.payloadConverter = {
  toPayload: (value) => ({ metadata: { encoding: Buffer.from('json/protobuf') }, data: Buffer.from(JSON.stringify(value ?? null)) }),
  fromPayload: (payload) => defaultPayloadConverter.fromPayload(payload),
};
