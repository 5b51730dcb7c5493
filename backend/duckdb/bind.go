package duckdb

import (
	"math/big"
	"strings"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/pggate/pggate/backend"
	"github.com/pggate/pggate/semantic/sqltype"
	"github.com/pggate/pggate/wire/sqlstate"
)

// bind gives a parameter its value in the engine's own type, never as text of
// the statement.
func bind(p bindings.PreparedStatement, i bindings.IdxT, v *backend.Value) error {
	if state := bindOne(p, i, v); state != bindings.StateSuccess {
		return sqlstate.New(sqlstate.InvalidParameterValue, "the engine does not take parameter $%d as %s", i, v.Type)
	}
	return nil
}

func bindOne(p bindings.PreparedStatement, i bindings.IdxT, v *backend.Value) bindings.State {
	if v.Null {
		return bindings.BindNull(p, i)
	}
	switch v.Type.OID {
	case sqltype.Bool:
		return bindings.BindBoolean(p, i, v.Int != 0)
	case sqltype.Int2, sqltype.Int4, sqltype.Int8, sqltype.Oid, sqltype.Xid, sqltype.RegClass, sqltype.RegType, sqltype.RegProc:
		val := bindings.CreateInt64(v.Int)
		defer bindings.DestroyValue(&val)
		return bindings.BindValue(p, i, val)
	case sqltype.Float4, sqltype.Float8:
		return bindings.BindDouble(p, i, v.Float)
	case sqltype.Date:
		return bindings.BindDate(p, i, bindings.NewDate(int32(v.Int)))
	case sqltype.Time:
		return bindings.BindTime(p, i, bindings.NewTime(v.Int))
	case sqltype.Timestamp:
		return bindings.BindTimestamp(p, i, bindings.NewTimestamp(v.Int))
	case sqltype.Timestamptz:
		return bindings.BindTimestampTZ(p, i, bindings.NewTimestamp(v.Int))
	case sqltype.Interval:
		return bindings.BindInterval(p, i, bindings.NewInterval(v.Months, v.Days, v.Int))
	case sqltype.Bytea:
		return bindings.BindBlob(p, i, []byte(v.Text))
	case sqltype.Numeric:
		if d, ok := decimalOf(v.Text); ok {
			return bindings.BindDecimal(p, i, d)
		}
		return bindings.BindVarchar(p, i, v.Text)
	}
	if v.Elems != nil || v.Type.OID.Elem() != 0 {
		val := value(v)
		defer bindings.DestroyValue(&val)
		return bindings.BindValue(p, i, val)
	}
	return bindings.BindVarcharLength(p, i, v.Text, bindings.IdxT(len(v.Text)))
}

// value makes an engine value, for the elements of arrays.
func value(v *backend.Value) bindings.Value {
	if v.Null {
		return bindings.CreateNullValue()
	}
	if v.Elems != nil || v.Type.OID.Elem() != 0 {
		elems := make([]bindings.Value, len(v.Elems))
		for i := range v.Elems {
			elems[i] = value(&v.Elems[i])
			defer bindings.DestroyValue(&elems[i])
		}
		t := bindings.CreateLogicalType(elementType(v.Type.OID.Elem()))
		defer bindings.DestroyLogicalType(&t)
		return bindings.CreateListValue(t, elems)
	}
	switch elementType(v.Type.OID) {
	case bindings.TypeBoolean:
		return bindings.CreateBool(v.Int != 0)
	case bindings.TypeBigInt:
		return bindings.CreateInt64(v.Int)
	case bindings.TypeDouble:
		return bindings.CreateDouble(v.Float)
	case bindings.TypeDate:
		return bindings.CreateDate(bindings.NewDate(int32(v.Int)))
	case bindings.TypeTimestamp:
		return bindings.CreateTimestamp(bindings.NewTimestamp(v.Int))
	}
	return bindings.CreateVarchar(v.Text)
}

func elementType(oid sqltype.OID) bindings.Type {
	switch oid {
	case sqltype.Bool:
		return bindings.TypeBoolean
	case sqltype.Int2, sqltype.Int4, sqltype.Int8, sqltype.Oid:
		return bindings.TypeBigInt
	case sqltype.Float4, sqltype.Float8:
		return bindings.TypeDouble
	case sqltype.Date:
		return bindings.TypeDate
	case sqltype.Timestamp, sqltype.Timestamptz:
		return bindings.TypeTimestamp
	}
	return bindings.TypeVarchar
}

// decimalOf reads a number of up to 38 digits.
func decimalOf(text string) (bindings.Decimal, bool) {
	digits := strings.TrimLeft(text, "+-")
	whole, frac, _ := strings.Cut(digits, ".")
	if strings.Trim(whole+frac, "0123456789") != "" || whole+frac == "" || len(whole)+len(frac) > 38 {
		return bindings.Decimal{}, false
	}
	n, ok := new(big.Int).SetString(whole+frac, 10)
	if !ok {
		return bindings.Decimal{}, false
	}
	if strings.HasPrefix(text, "-") {
		n.Neg(n)
	}
	lo := new(big.Int).And(n, new(big.Int).SetUint64(1<<64-1)).Uint64()
	hi := new(big.Int).Rsh(n, 64).Int64()
	return bindings.NewDecimal(38, uint8(len(frac)), bindings.NewHugeInt(lo, hi)), true
}
