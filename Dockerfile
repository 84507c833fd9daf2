# glibc is needed: the Temporal SDK's native part has no build for musl.
FROM node:20-slim AS build
WORKDIR /colony
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY scripts ./scripts
COPY definitions ./definitions
COPY workflows ./workflows
COPY activities ./activities
COPY src ./src
RUN node scripts/build.mjs

FROM node:20-slim
WORKDIR /colony
ENV NODE_ENV=production COLONY_HOME=/tmp/colony
COPY --from=build /colony/package.json ./
COPY --from=build /colony/node_modules ./node_modules
COPY --from=build /colony/dist ./dist
USER node
ENTRYPOINT ["node", "dist/worker.mjs"]
