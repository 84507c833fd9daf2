#!/bin/sh
# Makes or upgrades Temporal's two databases; safe to run again. The tool itself reads SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD.
set -eu
tool=${SQL_TOOL:-temporal-sql-tool}
for schema in temporal visibility; do
  case $schema in
    temporal) export SQL_DATABASE=temporal ;;
    visibility) export SQL_DATABASE=temporal_visibility ;;
  esac
  "$tool" create-database
  "$tool" setup-schema --version 0.0
  "$tool" update-schema --schema-name "postgresql/v12/$schema"
done
