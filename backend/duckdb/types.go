package duckdb

import (
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/pggate/pggate/semantic/sqltype"
)

// plain are the types that map one to one.
var plain = map[bindings.Type]sqltype.OID{
	bindings.TypeBoolean: sqltype.Bool, bindings.TypeTinyInt: sqltype.Int2, bindings.TypeSmallInt: sqltype.Int2,
	bindings.TypeInteger: sqltype.Int4, bindings.TypeBigInt: sqltype.Int8, bindings.TypeUTinyInt: sqltype.Int2,
	bindings.TypeUSmallInt: sqltype.Int4, bindings.TypeUInteger: sqltype.Int8, bindings.TypeUBigInt: sqltype.Numeric,
	bindings.TypeHugeInt: sqltype.Numeric, bindings.TypeUHugeInt: sqltype.Numeric, bindings.TypeBigNum: sqltype.Numeric,
	bindings.TypeFloat: sqltype.Float4, bindings.TypeDouble: sqltype.Float8, bindings.TypeVarchar: sqltype.Text,
	bindings.TypeBlob: sqltype.Bytea, bindings.TypeDate: sqltype.Date, bindings.TypeTime: sqltype.Time, bindings.TypeTimeNS: sqltype.Time,
	bindings.TypeTimeTZ: sqltype.Timetz, bindings.TypeTimestamp: sqltype.Timestamp, bindings.TypeTimestampS: sqltype.Timestamp,
	bindings.TypeTimestampMS: sqltype.Timestamp, bindings.TypeTimestampNS: sqltype.Timestamp, bindings.TypeTimestampTZ: sqltype.Timestamptz,
	bindings.TypeInterval: sqltype.Interval, bindings.TypeUUID: sqltype.UUID, bindings.TypeEnum: sqltype.Text, bindings.TypeBit: sqltype.Varbit,
	bindings.TypeStruct: sqltype.JSON, bindings.TypeMap: sqltype.JSON, bindings.TypeUnion: sqltype.JSON, bindings.TypeSQLNull: sqltype.Text,
	bindings.TypeStringLiteral: sqltype.Text, bindings.TypeIntegerLiteral: sqltype.Int4, bindings.TypeVariant: sqltype.JSON,
}

// sqlType gives PostgreSQL's type of an engine type. A type alias that bears
// the name of a PostgreSQL type is that type: catalogue columns are made so.
func sqlType(t bindings.LogicalType) sqltype.Type {
	if alias := bindings.LogicalTypeGetAlias(t); alias != "" {
		if alias == "JSON" {
			return sqltype.Of(sqltype.JSON)
		}
		if oid, ok := sqltype.ByName(strings.TrimPrefix(alias, "t_")); ok {
			return sqltype.Of(oid)
		}
	}
	switch id := bindings.GetTypeId(t); id {
	case bindings.TypeDecimal:
		return sqltype.NumericOf(int(bindings.DecimalWidth(t)), int(bindings.DecimalScale(t)))
	case bindings.TypeList, bindings.TypeArray:
		var child bindings.LogicalType
		if id == bindings.TypeList {
			child = bindings.ListTypeChildType(t)
		} else {
			child = bindings.ArrayTypeChildType(t)
		}
		defer bindings.DestroyLogicalType(&child)
		elem := sqlType(child)
		if elem.OID.Elem() != 0 && elem.OID != sqltype.Int2Vector && elem.OID != sqltype.OidVector {
			return elem // a list of lists is an array of more dimensions
		}
		if array := elem.OID.Array(); array != 0 && elem.OID != sqltype.JSON {
			return sqltype.Type{OID: array, Mod: elem.Mod}
		}
		return sqltype.Of(sqltype.JSON)
	default:
		if oid, ok := plain[id]; ok {
			return sqltype.Of(oid)
		}
	}
	return sqltype.Of(sqltype.Text)
}

// paramType is the type of a parameter, Unknown where the engine cannot tell.
func paramType(t bindings.LogicalType) sqltype.Type {
	switch bindings.GetTypeId(t) {
	case bindings.TypeInvalid, bindings.TypeAny, bindings.TypeSQLNull:
		return sqltype.Of(sqltype.Unknown)
	}
	st := sqlType(t)
	if st.OID == sqltype.Numeric {
		st.Mod = -1
	}
	return st
}
